package dashboard

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"freelancer-matching/access/account"
)

//go:embed templates
var templateFiles embed.FS

// page is what a template gets.
type page struct {
	Template string     // its name, without .html
	Title    string     // of the page, for the heading and the window
	Section  string     // of the navigation that is marked as current
	Form     url.Values // what the fields of the form hold
	Faults   *faults    // what is wrong with it
	Data     any        // of the page's own kind

	// The rest is filled by render.
	User          account.User
	Account       account.Account
	Owner         bool // may change keys and users of the account
	Administrator bool
	Notice        string // what was just done
	Version       string
}

// pages is every template, ready to be executed.
type pages struct {
	byName map[string]*template.Template
}

// loadPages reads the templates: layout.html and the parts are in all of them.
func loadPages(functions template.FuncMap) *pages {
	shared := template.Must(template.New("layout").Funcs(functions).ParseFS(templateFiles,
		"templates/layout.html", "templates/parts/*.html"))
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is well formed
	}
	p := &pages{byName: map[string]*template.Template{}}
	for _, name := range names {
		if path.Base(name) == "layout.html" {
			continue
		}
		one := template.Must(template.Must(shared.Clone()).ParseFS(templateFiles, name))
		p.byName[strings.TrimSuffix(path.Base(name), ".html")] = one
	}
	return p
}

// show answers with a page.
func (d *dashboard) show(v *visit, status int, p page) error {
	t, known := d.pages.byName[p.Template]
	if !known {
		return fmt.Errorf("no template is named %q", p.Template)
	}
	p.User, p.Account, p.Version = v.user, v.account, d.Version
	p.Owner, p.Administrator = may(v.user.Role, account.Owner), may(v.user.Role, account.Administrator)
	if v.signedIn() {
		p.Notice = d.sessions.PopString(v.r.Context(), sessionNotice)
	}
	if p.Form == nil {
		p.Form = url.Values{}
	}
	var body bytes.Buffer // so that a template that fails is answered as a failure
	if err := t.ExecuteTemplate(&body, "layout", &p); err != nil {
		return fmt.Errorf("render %s: %w", p.Template, err)
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(body.Bytes()) // whoever asked has gone
	return nil
}

// ok answers with a page, 200.
func (d *dashboard) ok(v *visit, p page) error { return d.show(v, http.StatusOK, p) }
