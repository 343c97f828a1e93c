package dashboard

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

	"freelancer-matching/access/account"
)

// page is the data of a template.
type page struct {
	Template string     // file name, without .html
	Title    string     // for the heading and the window
	Section  string     // current section of the navigation
	Form     url.Values // values of the form's fields
	Faults   *faults    // what is wrong with the form; nil for nothing
	Data     any        // specific to the page

	// Compressible pages may be long, and have no secret that their size could betray.
	Compressible bool

	// The other fields are set by show.
	User          account.User
	Account       account.Account
	Owner         bool // the user may change keys and members of the account
	Administrator bool
	Navigation    []navGroup
	Notice        string // confirms the previous action
	Version       string
}

// loadTemplates parses the templates. Each one includes layout.html and the parts.
func loadTemplates(files fs.FS, functions template.FuncMap) map[string]*template.Template {
	shared := template.Must(template.New("layout").Funcs(functions).ParseFS(files,
		"templates/layout.html", "templates/parts/*.html"))
	pages, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is constant and valid
	}
	templates := map[string]*template.Template{}
	for _, file := range pages {
		t := template.Must(template.Must(shared.Clone()).ParseFS(files, file))
		templates[strings.TrimSuffix(path.Base(file), ".html")] = t
	}
	return templates
}

// show renders a page.
func (v *visit) show(status int, p page) error {
	t, ok := v.site.templates[p.Template]
	if !ok {
		return fmt.Errorf("unknown template %q", p.Template)
	}
	p.User = v.user
	p.Account = v.account
	p.Version = v.site.Version
	p.Owner, p.Administrator = may(v.user.Role, account.Owner), may(v.user.Role, account.Administrator)

	if v.signedIn() {
		p.Navigation = v.site.Navigation(v.user.Role)
		p.Notice = v.site.sessions.PopString(v.context(), sessionNotice)
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
	v.writer.Header().Set("Content-Type", "text/html; charset=utf-8")

	if p.Compressible {
		v.writer.Header().Add("Vary", "Accept-Encoding")
		if strings.Contains(v.request.Header.Get("Accept-Encoding"), "gzip") {
			showCompressed(v.writer, status, body.Bytes())
			return nil
		}
	}

	v.writer.WriteHeader(status)
	_, _ = v.writer.Write(body.Bytes()) // fails only if the client has disconnected
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

// ok renders a page with status 200.
func (v *visit) ok(p page) error { return v.show(http.StatusOK, p) }
