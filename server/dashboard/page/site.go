package page

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

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/server/web"
)

// Root is the path of the dashboard.
const Root = "/dashboard"

// A Config is what every page needs. All fields are required.
type Config struct {
	Accounts *account.Services
	Sessions SessionStore

	Static    fs.FS            // has the folder static
	Templates fs.FS            // has the folder templates
	Functions template.FuncMap // that templates can call besides those of this package

	PublicURL *url.URL // scheme and host that users see; https makes cookies secure
	Version   string   // of the program
	Banner    string   // a sentence on every page; "" for none
	// RequireTwoFactor keeps administrators from everything else until they have a second factor.
	RequireTwoFactor bool
	Log              *slog.Logger
	Now              func() time.Time
	Address          func(*http.Request) netip.Addr // of the client, as seen through trusted proxies
}

// A site serves routes: it knows who sends a request, reads forms, and renders pages and errors.
type site struct {
	Config
	sessions  *scs.SessionManager
	assets    *web.Assets
	templates map[string]func() *template.Template // see loadTemplates
	downloads downloads
	forms     largeForms
}

func newSite(c Config) *site {
	s := &site{
		Config:   c,
		sessions: newSessions(lenientStore{c.Sessions, c.Log}, c.PublicURL),
		assets:   web.LoadAssets(c.Static, Root),
		forms:    largeForms{ofAccount: map[string]int64{}},
	}
	s.sessions.ErrorFunc = s.sessionFailed
	s.templates = loadTemplates(c.Templates, s.functions())
	return s
}

// New returns the handler for the routes and the static files. It panics if a shared template is invalid; see Parse for
// the others.
func New(c Config, routes []Route) http.Handler {
	s := newSite(c)

	mux := http.NewServeMux()
	for _, r := range routes {
		mux.Handle(strings.TrimSpace(r.Method+" "+r.Path), trackSession(s.sessions.LoadAndSave(s.serve(r))))
	}

	// Static files need neither a session nor a check of where the request comes from.
	top := http.NewServeMux()
	top.Handle("GET "+Root+"/static/{hash}/{name}", s.assets)
	top.Handle("/", s.rejectCrossOrigin(mux))

	return secure(top)
}

// Parse parses all templates, and returns how many there are. It panics if one is invalid.
func Parse(c Config) int {
	templates := newSite(c).templates
	for _, parse := range templates {
		parse()
	}
	return len(templates)
}
