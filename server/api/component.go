package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/clients/web"
)

// componentPath is the address of the web component. Pages of customers name it, so it stays within a version.
const componentPath = "/assets/freelancer-match-v1.js"

// serveComponent returns the handler of the web component. It is a public file, so pages of all origins may load it,
// which modules need CORS for, and its hash may be compared (subresource integrity).
func serveComponent() gin.HandlerFunc {
	sum := sha256.Sum256(web.Component)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	return func(c *gin.Context) {
		c.Header("Content-Type", "text/javascript; charset=utf-8")
		c.Header("Cache-Control", "public, max-age=3600")
		c.Header("ETag", tag)
		c.Header("Access-Control-Allow-Origin", "*")
		c.Header("Cross-Origin-Resource-Policy", "cross-origin")
		http.ServeContent(c.Writer, c.Request, "", time.Time{}, bytes.NewReader(web.Component))
	}
}
