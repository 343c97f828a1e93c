// Package web has what the pages of the dashboard and those of candidates share.
package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/pagestyle"
)

// Assets serves style sheets, scripts and icons. Their URLs contain a hash of their content, so that browsers can cache
// them forever.
type Assets struct {
	root  string           // path of the pages
	files map[string]asset // by name
}

type asset struct {
	hash    string
	content []byte
}

// styleSheet is the file that begins with the rules that all pages share.
const styleSheet = "style.css"

// LoadAssets returns the files in the folder "static" of embedded files, for pages under a path such as /dashboard. The
// style sheet style.css follows the rules of pagestyle.Base, in one file, so that a page needs no further request.
func LoadAssets(embedded fs.FS, root string) *Assets {
	a := &Assets{root: root, files: map[string]asset{}}
	entries, err := fs.ReadDir(embedded, "static")
	if err != nil {
		panic(err) // embedded at build time
	}
	for _, e := range entries {
		content, err := fs.ReadFile(embedded, "static/"+e.Name())
		if err != nil {
			panic(err)
		}

		if e.Name() == styleSheet {
			content = slices.Concat([]byte(pagestyle.Base), []byte("\n"), content)
		}
		sum := sha256.Sum256(content)
		a.files[e.Name()] = asset{hash: hex.EncodeToString(sum[:6]), content: content}
	}
	return a
}

// URL returns the URL path of a file.
func (a *Assets) URL(name string) (string, error) {
	file, ok := a.files[name]
	if !ok {
		return "", fmt.Errorf("unknown static file %q", name)
	}
	return a.root + "/static/" + file.hash + "/" + name, nil
}

// ServeHTTP serves a file. A URL with another hash belongs to another version of the program, and is not found.
func (a *Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	file, ok := a.files[name]
	if !ok || r.PathValue("hash") != file.hash {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(file.content))
}

// Origin returns a URL as browsers write it in Origin: in lower case, and without the scheme's default port.
func Origin(u *url.URL) string {
	scheme := strings.ToLower(u.Scheme)
	host := strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme + "://" + host
}
