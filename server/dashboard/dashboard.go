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

	"github.com/alexedwards/scs/v2"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/results"
)

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

// New returns the handler for all paths under /dashboard.
func New(c Config) http.Handler {
	functions := template.FuncMap{}
	for _, group := range []template.FuncMap{
		playgroundFunctions(c.Now), transcriptFunctions(), referenceFunctions(),
	} {
		maps.Copy(functions, group)
	}

	return newSite(siteConfig{
		Accounts: c.Accounts, Sessions: c.Sessions,
		Static: staticFiles, Templates: templateFiles, Functions: functions, Navigation: navigation,
		PublicURL: c.PublicURL, Version: c.Version, RequireTwoFactor: c.RequireTwoFactor,
		Log: c.Log, Now: c.Now, Address: c.Address,
	}, routes(c))
}

// routes returns all routes except the static files.
func routes(c Config) []route {
	quotas := Quotas{Quota: c.Quota, Log: c.Log}

	home := homeHandler{
		Accounts: c.Accounts, Keys: c.Keys, Usage: c.Usage, Quotas: quotas, Health: c.Health, Log: c.Log, Now: c.Now,
	}
	data := dataHandler{Health: c.Health, Loads: c.Loads, PublicURL: c.PublicURL, Version: c.Version, Log: c.Log}
	signIn := signInHandler{Accounts: c.Accounts, SignUp: c.SignUp, Address: c.Address}
	settings := settingsHandler{
		Accounts: c.Accounts, Exports: c.Exports, PublicURL: c.PublicURL, RequireTwoFactor: c.RequireTwoFactor,
	}
	keyPages := keyHandler{Accounts: c.Accounts, Keys: c.Keys, Quotas: quotas, PublicURL: c.PublicURL, Now: c.Now}
	requests := trafficHandler{
		Accounts: c.Accounts, Keys: c.Keys, Usage: c.Usage, Views: c.Views, Quotas: quotas, Log: c.Log, Now: c.Now,
	}
	stored := storedHandler{Interviews: c.Interviews, PublicURL: c.PublicURL}
	auditLog := auditHandler{Accounts: c.Accounts}
	freelancers := directoryHandler{Freelancers: c.Freelancers}

	return slices.Concat(
		signIn.Routes(),
		home.Routes(),
		data.Routes(),
		keyPages.Routes(),
		requests.Routes(),
		playgroundRoutes(playgroundConfig{
			API: c.API, Keys: c.Keys, Results: c.Results, Skills: c.Skills, Currencies: c.Currencies,
			PublicURL: c.PublicURL, Log: c.Log, Now: c.Now, Address: c.Address,
		}),
		stored.Routes(),
		newReferenceHandler(c.PublicURL).Routes(),
		settings.Routes(),
		newMembers(c.Accounts, c.PublicURL).Routes(),
		newAdministration(c.Accounts, c.Keys, c.PublicURL, c.Now).Routes(),
		freelancers.Routes(),
		auditLog.Routes(),
		[]route{everythingElse()},
	)
}
