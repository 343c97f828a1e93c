package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/openapi"
)

// sendDescription returns the handler that sends the description of the API in one rendition.
func sendDescription(render func() (openapi.Rendition, error)) endpoint.Handler {
	return func(_ context.Context, call *endpoint.Call) error {
		document, err := render()
		if err != nil {
			return err
		}

		// Clients may keep it, and ask each time whether it has changed: an upgrade of the server changes it at once.
		call.SetHeader("ETag", document.ETag)
		call.SetHeader("Cache-Control", "no-cache")
		if strings.Contains(call.Request.Header.Get("If-None-Match"), document.ETag) {
			call.Response.WriteHeader(http.StatusNotModified)
			call.Response.WriteHeaderNow()
			return nil
		}

		call.SetHeader("Content-Type", document.MediaType)
		call.Response.WriteHeader(http.StatusOK)
		if _, err := call.Response.Write(document.Body); err != nil {
			return fmt.Errorf("send the description of the API: %w", err)
		}
		return nil
	}
}
