package dashboard

import (
	"context"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/quota"
	"freelancer-matching/access/results"
	"freelancer-matching/access/usage"
	"freelancer-matching/access/views"
	"freelancer-matching/internal/lastload"
	"freelancer-matching/server/api"
	"freelancer-matching/server/dashboard/reference"
	"freelancer-matching/server/web"
)

// root is the path of the dashboard.
const root = "/dashboard"

// Usage reports the requests made with an account's keys.
type Usage interface {
	// Flush makes everything recorded so far visible to the other methods.
	Flush(ctx context.Context) error
	// Usage, HourlyUsage and Failures are described in usage.Store.
	Usage(ctx context.Context, account string, since time.Time) ([]usage.Count, error)
	HourlyUsage(ctx context.Context, account string, since time.Time) ([]usage.Count, error)
	Failures(ctx context.Context, account string, limit int) ([]usage.Failure, error)
}

// Quota reports the remaining quota of an allowance without using any of it.
type Quota interface {
	Peek(ctx context.Context, a quota.Allowance) (quota.Decision, error)
}

// Views reports how much of its daily limit of freelancers an account has used, without counting anything.
type Views interface {
	Today(ctx context.Context, a views.Allowance) (views.Decision, error)
}

// Health reports the state of every component of the service.
type Health interface {
	Check(ctx context.Context) api.Components
}

// Loads returns the last loads that were recorded in the data folder.
type Loads func() (lastload.History, error)

// API serves a request to /api/v1/… in process, as if it had been sent with key: quotas, limits and usage apply. The
// audit log has the user's ID.
type API interface {
	ServeAs(key apikey.Key, user string, w http.ResponseWriter, r *http.Request)
}

// Config holds what the dashboard depends on. All fields are required.
type Config struct {
	Accounts *account.Service
	Keys     *apikey.Service
	Usage    Usage
	Quota    Quota
	Views    Views
	Health   Health
	API      API
	Skills   Skills
	// Currencies returns the codes of the data set's currency, or "" if there is none, and of those that amounts can be
	// converted from.
	Currencies func(ctx context.Context) (data string, others []string)
	Loads      Loads

	Freelancers Freelancers
	Interviews  Interviews
	Results     *results.Service
	Sessions    scs.CtxStore
	Exports     Exports

	PublicURL *url.URL // scheme and host that users see; https makes cookies secure
	Version   string   // of the program
	SignUp    account.SignUpPolicy
	// RequireTwoFactor keeps administrators from everything else until they have a second factor.
	RequireTwoFactor bool
	Log              *slog.Logger
	Now              func() time.Time
	Address          func(*http.Request) netip.Addr // of the client, as seen through trusted proxies
}

// dashboard handles all pages.
type dashboard struct {
	Config
	sessions  *scs.SessionManager
	assets    *web.Assets
	templates map[string]*template.Template // by name, without .html
	downloads downloads
	forms     largeForms
	reference func() (*reference.Document, error)
}

// New returns the handler for all paths under /dashboard.
func New(c Config) http.Handler {
	d := &dashboard{
		Config:   c,
		sessions: newSessions(lenientStore{c.Sessions, c.Log}, c.PublicURL),
		assets:   web.LoadAssets(staticFiles, root),
	}
	d.forms.ofAccount = map[string]int64{}
	d.reference = referenceSource()
	d.sessions.ErrorFunc = d.sessionFailed
	d.templates = loadTemplates(d.functions())

	mux := http.NewServeMux()
	for _, r := range d.routes() {
		mux.Handle(strings.TrimSpace(r.method+" "+r.path), trackSession(d.sessions.LoadAndSave(d.serve(r))))
	}
	top := http.NewServeMux()
	top.Handle("GET "+root+"/static/{hash}/{name}", d.assets)
	top.Handle("/", d.rejectCrossOrigin(mux))
	return secure(top)
}
