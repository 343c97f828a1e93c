package dashboard

import (
	"context"
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
	"freelancer-matching/access/usage"
	"freelancer-matching/server/api"
)

// root is the path that everything here is under.
const root = "/dashboard"

// Usage tells what was asked for with the keys of an account.
type Usage interface {
	// Flush makes what was gathered up to now visible to the other methods.
	Flush(ctx context.Context) error
	// Usage and Failures are as in usage.Store.
	Usage(ctx context.Context, account string, since time.Time) ([]usage.Count, error)
	Failures(ctx context.Context, account string, limit int) ([]usage.Failure, error)
}

// Quota tells what is left of an allowance, without taking from it.
type Quota interface {
	Peek(ctx context.Context, a quota.Allowance) (quota.Decision, error)
}

// Health is the state of every part of the service.
type Health interface {
	Check(ctx context.Context) api.Components
}

// API answers a request to /api/v1/… in process as if key had been sent with it: quota, limits and usage count as always.
type API interface {
	ServeAs(key apikey.Key, w http.ResponseWriter, r *http.Request)
}

// Config is everything that the dashboard works with. All of it is required.
type Config struct {
	Accounts *account.Service
	Keys     *apikey.Service
	Usage    Usage
	Quota    Quota
	Health   Health
	API      API
	Sessions scs.Store

	PublicURL *url.URL // scheme and host by which people reach the dashboard; https makes its cookies secure
	Version   string   // of the program
	SignUp    account.SignUpPolicy
	Log       *slog.Logger
	Now       func() time.Time
	Address   func(*http.Request) netip.Addr // of the client, behind whatever proxies are trusted
}

// dashboard is the handler of every page.
type dashboard struct {
	Config
	sessions *scs.SessionManager
	assets   *assets
	pages    *pages
}

// New makes the handler of everything under /dashboard. It is given whole paths.
func New(c Config) http.Handler {
	d := &dashboard{Config: c, sessions: newSessions(c.Sessions, c.PublicURL), assets: loadAssets()}
	d.sessions.ErrorFunc = d.sessionFailed
	d.pages = loadPages(d.functions())

	mux := http.NewServeMux()
	for _, r := range d.routes() {
		mux.Handle(strings.TrimSpace(r.method+" "+r.path), d.sessions.LoadAndSave(d.serve(r)))
	}
	top := http.NewServeMux()
	top.Handle("GET "+root+"/static/{hash}/{name}", d.assets)
	top.Handle("/", d.refuseCrossOrigin(mux))
	return secure(top)
}
