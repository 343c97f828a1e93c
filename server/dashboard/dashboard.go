package dashboard

import (
	"context"
	"html/template"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/results"
	"freelancer-matching/server/dashboard/accounts"
	"freelancer-matching/server/dashboard/apikeys"
	"freelancer-matching/server/dashboard/auditlog"
	"freelancer-matching/server/dashboard/directory"
	"freelancer-matching/server/dashboard/interviews"
	"freelancer-matching/server/dashboard/overview"
	"freelancer-matching/server/dashboard/page"
	"freelancer-matching/server/dashboard/playground"
	"freelancer-matching/server/dashboard/reference"
	"freelancer-matching/server/dashboard/settings"
	"freelancer-matching/server/dashboard/signin"
	"freelancer-matching/server/dashboard/traffic"
	"freelancer-matching/server/dashboard/transcript"
	"freelancer-matching/server/dashboard/upload"
)

// Config holds what the dashboard depends on. All fields are required.
type Config struct {
	Accounts *account.Services
	Chains   auditlog.Chains
	Keys     *apikey.Service
	Usage    traffic.Usage
	Quota    apikeys.Quota
	Views    traffic.Views
	Health   overview.Health
	API      playground.API
	Skills   playground.Skills
	// Currencies returns the codes of the data set's currency, or "" if there is none, and of those that amounts can be
	// converted from.
	Currencies func(ctx context.Context) (data string, others []string)
	Loads      overview.Loads
	Uploads    Uploads

	Freelancers directory.Freelancers
	Interviews  interviews.Interviews
	Results     *results.Service
	Sessions    page.SessionStore
	Exports     settings.Exports
	Changes     settings.Changes

	PublicURL *url.URL // scheme and host that users see; https makes cookies secure
	Version   string   // of the program
	SignUp    account.SignUpPolicy
	// RequireTwoFactor keeps administrators from everything else until they have a second factor.
	RequireTwoFactor bool
	Log              *slog.Logger
	Now              func() time.Time
	Address          func(*http.Request) netip.Addr // of the client, as seen through trusted proxies
}

// Uploads stores, reads, publishes and lists files; see uploads.Service.
type Uploads interface {
	upload.Uploads
	overview.Uploads
}

// New returns the handler for all paths under /dashboard.
func New(c Config) http.Handler {
	functions := template.FuncMap{}
	for _, group := range []template.FuncMap{
		playground.Functions(c.Now), transcript.Functions(), reference.Functions(),
	} {
		maps.Copy(functions, group)
	}

	return page.New(page.Config{
		Accounts: c.Accounts, Sessions: c.Sessions,
		Static: staticFiles, Templates: templateFiles, Functions: functions,
		PublicURL: c.PublicURL, Version: c.Version, RequireTwoFactor: c.RequireTwoFactor,
		Log: c.Log, Now: c.Now, Address: c.Address,
	}, routes(c))
}

// routes returns all routes except the static files.
func routes(c Config) []page.Route {
	quotas := apikeys.Quotas{Quota: c.Quota, Log: c.Log}

	// Each handler has just the services that its pages use.
	home := overview.HomeHandler{
		Users: c.Accounts.Users, Links: c.Accounts.Links, Keys: c.Keys, Usage: c.Usage, Quotas: quotas, Health: c.Health,
		Log: c.Log, Now: c.Now,
	}
	data := overview.DataHandler{
		Health: c.Health, Loads: c.Loads, Uploads: c.Uploads, PublicURL: c.PublicURL, Version: c.Version, Log: c.Log,
	}
	files := upload.Handler{Uploads: c.Uploads}
	signIn := signin.Handler{Accounts: c.Accounts, SignUp: c.SignUp, Address: c.Address}
	own := settings.Handler{
		Accounts: c.Accounts, Exports: c.Exports, Results: c.Results, Changes: c.Changes, PublicURL: c.PublicURL,
	}
	keyPages := apikeys.Handler{
		Accounts: c.Accounts.Accounts, Keys: c.Keys, Quotas: quotas, PublicURL: c.PublicURL, Now: c.Now,
	}
	requests := traffic.Handler{
		Accounts: c.Accounts.Accounts, Keys: c.Keys, Usage: c.Usage, Views: c.Views, Quotas: quotas, Log: c.Log, Now: c.Now,
	}
	stored := interviews.Handler{Interviews: c.Interviews, PublicURL: c.PublicURL}
	auditLog := auditlog.Handler{
		Accounts: c.Accounts.Accounts, Users: c.Accounts.Users, Log: c.Accounts.AuditLog, Chains: c.Chains,
	}
	records := directory.Handler{Freelancers: c.Freelancers}

	return slices.Concat(
		signIn.Routes(),
		home.Routes(),
		data.Routes(),
		files.Routes(),
		keyPages.Routes(),
		requests.Routes(),
		playground.Routes(playground.Config{
			API: c.API, Keys: c.Keys, Results: c.Results, Skills: c.Skills, Currencies: c.Currencies,
			PublicURL: c.PublicURL, Log: c.Log, Now: c.Now, Address: c.Address,
		}),
		stored.Routes(),
		reference.NewHandler(c.PublicURL).Routes(),
		own.Routes(),
		accounts.NewMembers(c.Accounts, c.PublicURL).Routes(),
		accounts.NewAdministration(c.Accounts, c.Keys, c.PublicURL, c.Now).Routes(),
		records.Routes(),
		auditLog.Routes(),
		[]page.Route{page.EverythingElse()},
	)
}
