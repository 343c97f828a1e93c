// Package sharing serves the page that shows the people of a project to a client: to anybody who has a link that a
// member of the account created. It hides names and profiles of people unless a member has released them, and shows no
// notes, contact details or running text.
package sharing

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/web"
)

// Path is the path of the pages, without the final slash.
const Path = "/shared"

// URL returns the address of the page that a token opens.
func URL(public *url.URL, token string) string {
	return strings.TrimSuffix(public.Scheme+"://"+public.Host, "/") + Path + "/" + token
}

// Projects opens the projects of links; see projects.Service.
type Projects interface {
	Open(ctx context.Context, token string) (projects.Project, []projects.Person, projects.Link, error)
}

// Records reads what is stored about freelancers; see freelancers.Service.
type Records interface {
	GetAll(ctx context.Context, ids []string) (map[string]freelancers.Stored, error)
}

// Config holds what the pages depend on. All fields are required.
type Config struct {
	Projects Projects
	Records  Records
	// Owner returns the name of an account, and whether it is active.
	Owner func(ctx context.Context, account string) (name string, active bool, err error)
	// Currency returns the code of the currency that rates are in, or "" if that is unknown.
	Currency func(ctx context.Context) string
	Log      *slog.Logger
	Address  func(*http.Request) netip.Addr // of the client, as seen through trusted proxies
}

const (
	// wrongTokens is the number of wrong tokens that one address may send per minute.
	wrongTokens = 10
	// maxViews is the number of pages that one address may open per minute. Each reads up to projects.MaxPeople records.
	maxViews = 60
	// retryAfter is the time in seconds after which a limited client may try again.
	retryAfter = "60"
)

//go:embed static templates
var files embed.FS

// pages handles all requests.
type pages struct {
	Config
	assets   *web.Assets
	template *template.Template
	guesses  *quota.Guard
	views    *quota.Guard
}

// New returns the handler of all paths under Path.
func New(c Config) http.Handler {
	p := &pages{
		Config: c, assets: web.LoadAssets(files, Path),
		guesses: quota.NewGuard(wrongTokens, time.Minute), views: quota.NewGuard(maxViews, time.Minute),
	}
	functions := template.FuncMap{
		"asset": p.assets.URL,
		"join":  func(words []string) string { return strings.Join(words, ", ") },
		"date":  func(t time.Time) string { return t.UTC().Format("January 2, 2006") },
	}
	p.template = template.Must(template.New("page.html").Funcs(functions).ParseFS(files, "templates/page.html"))

	mux := http.NewServeMux()
	mux.Handle("GET "+Path+"/static/{hash}/{name}", p.assets)
	mux.HandleFunc("GET "+Path+"/{token}", p.serve)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { p.showFault(w, http.StatusNotFound, unknownLink) })

	return secure(mux)
}

// secure sets the security headers of every response. The address has the token, so it must not be sent to other sites.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; "+
			"base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Robots-Tag", "noindex, nofollow")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// view is the data of the page.
type view struct {
	Title   string
	Fault   string // what is wrong, instead of all below
	Account string
	Expires time.Time
	People  []person
}

// The texts of pages about faults. An expired link looks like a wrong one, so that nobody learns which tokens existed.
const (
	unknownLink = "This link doesn't work. It has expired, it was revoked, or a part of it is missing. Ask the person " +
		"who sent it for a new one."
	tooMany = "Too many requests came from your network. Wait a minute, then reload the page."
	down    = "The page can't be shown at the moment. Reload it in a minute."
)

// serve shows the project of a link.
func (p *pages) serve(w http.ResponseWriter, r *http.Request) {
	address := quota.AddressKey(p.Address(r))
	_, guessing := p.guesses.Blocked(address)
	_, flooding := p.views.Blocked(address)
	if guessing || flooding {
		w.Header().Set("Retry-After", retryAfter)
		p.showFault(w, http.StatusTooManyRequests, tooMany)
		return
	}
	p.views.Failed(address)

	v, err := p.open(r.Context(), r.PathValue("token"))
	switch {
	case err == nil:
		p.show(w, http.StatusOK, v)
	case errors.Is(err, projects.ErrNotFound):
		p.guesses.Failed(address)
		p.showFault(w, http.StatusNotFound, unknownLink)
	case r.Context().Err() == nil:
		p.Log.Error("shared project not shown", "request_id", w.Header().Get("X-Request-Id"), "error", err)
		w.Header().Set("Retry-After", retryAfter)
		p.showFault(w, http.StatusServiceUnavailable, down)
	}
}

// open returns the page of a token, or projects.ErrNotFound.
func (p *pages) open(ctx context.Context, token string) (view, error) {
	project, people, link, err := p.Projects.Open(ctx, token)
	if err != nil {
		return view{}, err
	}
	name, active, err := p.Owner(ctx, project.Account)
	if err != nil {
		return view{}, err
	}
	if !active {
		return view{}, projects.ErrNotFound
	}

	ids := make([]string, len(people))
	for i := range people {
		ids[i] = people[i].Freelancer
	}
	records, err := p.Records.GetAll(ctx, ids)
	if err != nil {
		return view{}, fmt.Errorf("read records: %w", err)
	}

	v := view{Title: project.Name, Account: name, Expires: link.Expires}
	currency := p.Currency(ctx)
	for i := range people {
		if people[i].State == projects.Declined {
			continue
		}
		record, stored := records[people[i].Freelancer]
		if !stored {
			continue // nothing may be shown about who is gone
		}
		v.People = append(v.People, newPerson(len(v.People)+1, &people[i], &record.Freelancer, currency))
	}
	return v, nil
}

func (p *pages) showFault(w http.ResponseWriter, status int, text string) {
	p.show(w, status, view{Title: "This page can't be shown", Fault: text})
}

func (p *pages) show(w http.ResponseWriter, status int, v view) {
	var body bytes.Buffer // render completely first, so that a failure can still become an error
	if err := p.template.Execute(&body, v); err != nil {
		p.Log.Error("rendering the page of a project failed", "error", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // fails only if the client has disconnected
}
