package page

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/freelancer-matching/service/access/account"
)

// Page is the data of a template.
type Page struct {
	Template string     // file name, without .html
	Title    string     // for the heading and the window
	Section  string     // current section of the navigation
	Form     url.Values // values of the form's fields
	Faults   *Faults    // what is wrong with the form; nil for nothing
	Data     any        // specific to the page

	Wide bool // the page needs all of a laptop's width, so the navigation shows icons

	// Compressible pages may be long, and have no secret that their size could betray.
	Compressible bool

	// The other fields are set by show.
	User          account.User
	Account       account.Account
	Owner         bool // the user may change keys and members of the account
	Administrator bool
	Navigation    []navGroup
	Notice        string // confirms the previous action
	Banner        string // of the site; "" for none
	Version       string
}

// loadTemplates returns functions that return the templates by name, without .html. Each one includes layout.html and
// the parts. It is parsed when it is first used, because each one takes half a megabyte.
func loadTemplates(files fs.FS, functions template.FuncMap) map[string]func() *template.Template {
	shared := template.Must(template.New("layout").Funcs(functions).ParseFS(files,
		"templates/layout.html", "templates/parts/*.html"))
	pages, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is constant and valid
	}

	templates := map[string]func() *template.Template{}
	for _, file := range pages {
		templates[strings.TrimSuffix(path.Base(file), ".html")] = sync.OnceValue(func() *template.Template {
			return template.Must(template.Must(shared.Clone()).ParseFS(files, file))
		})
	}
	return templates
}

// Show renders a page.
func (v *Visit) Show(status int, p Page) error {
	parsed, ok := v.site.templates[p.Template]
	if !ok {
		return fmt.Errorf("unknown template %q", p.Template)
	}
	t := parsed()

	p.User = v.User
	p.Account = v.Account
	p.Version = v.site.Version
	p.Banner = v.site.Banner
	p.Owner, p.Administrator = May(v.User.Role, account.Owner), May(v.User.Role, account.Administrator)

	if v.SignedIn() {
		p.Navigation = navigation(v.User.Role)
		p.Notice = v.site.sessions.PopString(v.Context(), sessionNotice)
	}

	if p.Form == nil {
		p.Form = url.Values{}
	}
	var body bytes.Buffer // render completely first, so that a failure can still become an error page

	if p.Faults != nil { // the summary of faults needs the labels of the fields below it
		if err := t.ExecuteTemplate(io.Discard, "layout", &p); err != nil {
			return fmt.Errorf("collect the labels of %s: %w", p.Template, err)
		}
	}

	if err := t.ExecuteTemplate(&body, "layout", &p); err != nil {
		return fmt.Errorf("render %s: %w", p.Template, err)
	}
	v.Writer.Header().Set("Content-Type", "text/html; charset=utf-8")

	// Only pages without secrets are compressed: the length of a compressed page betrays its secrets to somebody who
	// can add text to it (BREACH).
	if p.Compressible {
		v.Writer.Header().Add("Vary", "Accept-Encoding")
		if strings.Contains(v.Request.Header.Get("Accept-Encoding"), "gzip") {
			showCompressed(v.Writer, status, body.Bytes())
			return nil
		}
	}

	v.Writer.WriteHeader(status)
	_, _ = v.Writer.Write(body.Bytes()) // fails only if the client has disconnected
	return nil
}

// showCompressed sends a page with gzip.
func showCompressed(w http.ResponseWriter, status int, page []byte) {
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	compressed := gzip.NewWriter(w)
	_, _ = compressed.Write(page) // fails only if the client has disconnected
	_ = compressed.Close()
}

// OK renders a page with status 200.
func (v *Visit) OK(p Page) error { return v.Show(http.StatusOK, p) }
