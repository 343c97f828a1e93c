package dashboard

import (
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"freelancer-matching/access/account"
	"freelancer-matching/server/web"
)

// Root is the path of the dashboard.
const root = "/dashboard"

// A siteConfig is what every page needs. All fields are required.
type siteConfig struct {
	Accounts *account.Service
	Sessions scs.CtxStore

	Static     fs.FS            // has the folder static
	Templates  fs.FS            // has the folder templates
	Functions  template.FuncMap // that templates can call besides those of this package
	Navigation func(role account.Role) []navGroup

	PublicURL *url.URL // scheme and host that users see; https makes cookies secure
	Version   string   // of the program
	// RequireTwoFactor keeps administrators from everything else until they have a second factor.
	RequireTwoFactor bool
	Log              *slog.Logger
	Now              func() time.Time
	Address          func(*http.Request) netip.Addr // of the client, as seen through trusted proxies
}

// A site serves routes: it knows who sends a request, reads forms, and renders pages and errors.
type site struct {
	siteConfig
	sessions  *scs.SessionManager
	assets    *web.Assets
	templates map[string]*template.Template // by name, without .html
	downloads downloads
	forms     largeForms
}

// newSite returns the handler for the routes and the static files. It panics if a template is invalid.
func newSite(c siteConfig, routes []route) http.Handler {
	s := &site{
		siteConfig: c,
		sessions:   newSessions(lenientStore{c.Sessions, c.Log}, c.PublicURL),
		assets:     web.LoadAssets(c.Static, root),
		forms:      largeForms{ofAccount: map[string]int64{}},
	}
	s.sessions.ErrorFunc = s.sessionFailed
	s.templates = loadTemplates(c.Templates, s.functions())

	mux := http.NewServeMux()
	for _, r := range routes {
		mux.Handle(strings.TrimSpace(r.Method+" "+r.Path), trackSession(s.sessions.LoadAndSave(s.serve(r))))
	}

	// Static files need neither a session nor a check of where the request comes from.
	top := http.NewServeMux()
	top.Handle("GET "+root+"/static/{hash}/{name}", s.assets)
	top.Handle("/", s.rejectCrossOrigin(mux))

	return secure(top)
}
