package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"time"
)

//go:embed static
var staticFiles embed.FS

// assets serves the style sheet, the script and the icon. Their URLs contain a hash of their content, so that browsers
// can cache them forever.
type assets struct {
	files map[string]asset // by name
}

type asset struct {
	hash    string
	content []byte
}

func loadAssets() *assets {
	a := &assets{files: map[string]asset{}}
	entries, err := fs.ReadDir(staticFiles, "static")
	if err != nil {
		panic(err) // embedded at build time
	}
	for _, e := range entries {
		content, err := staticFiles.ReadFile("static/" + e.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		a.files[e.Name()] = asset{hash: hex.EncodeToString(sum[:6]), content: content}
	}
	return a
}

// url returns the URL path of a file.
func (a *assets) url(name string) (string, error) {
	file, ok := a.files[name]
	if !ok {
		return "", fmt.Errorf("unknown static file %q", name)
	}
	return root + "/static/" + file.hash + "/" + name, nil
}

// ServeHTTP serves a file. A URL with another hash belongs to another version of the program, and is not found.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	file, ok := a.files[name]
	if !ok || r.PathValue("hash") != file.hash {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(file.content))
}
