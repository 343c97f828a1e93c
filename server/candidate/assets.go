package candidate

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"time"
)

//go:embed static templates texts
var files embed.FS

// assets serves the style sheet, the script and the icon. Their URLs contain a hash of their content, so that browsers
// can cache them forever.
type assets struct{ files map[string]asset } // by name

type asset struct {
	hash    string
	content []byte
}

func loadAssets() *assets {
	a := &assets{files: map[string]asset{}}
	for name, content := range embedded("static/*") {
		sum := sha256.Sum256(content)
		a.files[name] = asset{hex.EncodeToString(sum[:6]), content}
	}
	return a
}

// embedded returns the embedded files that match a pattern, by their names without folder.
func embedded(pattern string) map[string][]byte {
	paths, err := fs.Glob(files, pattern)
	if err != nil {
		panic(err) // the patterns are constant and valid
	}
	found := map[string][]byte{}
	for _, path := range paths {
		content, err := files.ReadFile(path)
		if err != nil {
			panic(err) // embedded at build time
		}
		found[path[strings.LastIndexByte(path, '/')+1:]] = content
	}
	return found
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

// loadTemplates parses the templates. Each one includes layout.html.
func loadTemplates(a *assets) map[string]*template.Template {
	functions := template.FuncMap{"asset": a.url, "inc": func(n int) int { return n + 1 }}
	layout := template.Must(template.New("layout").Funcs(functions).ParseFS(files, "templates/layout.html"))
	templates := map[string]*template.Template{}
	for file := range embedded("templates/*.html") {
		t := template.Must(template.Must(layout.Clone()).ParseFS(files, "templates/"+file))
		templates[strings.TrimSuffix(file, ".html")] = t
	}
	return templates
}
