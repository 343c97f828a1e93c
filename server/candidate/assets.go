package candidate

import (
	"embed"
	"html/template"
	"io/fs"
	"strings"

	"github.com/freelancer-matching/service/server/web"
)

//go:embed static templates texts
var files embed.FS

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

// loadTemplates parses the templates. Each one includes layout.html.
func loadTemplates(a *web.Assets) map[string]*template.Template {
	functions := template.FuncMap{"asset": a.URL, "inc": func(n int) int { return n + 1 }}
	layout := template.Must(template.New("layout").Funcs(functions).ParseFS(files, "templates/layout.html"))
	templates := map[string]*template.Template{}
	for file := range embedded("templates/*.html") {
		t := template.Must(template.Must(layout.Clone()).ParseFS(files, "templates/"+file))
		templates[strings.TrimSuffix(file, ".html")] = t
	}
	return templates
}
