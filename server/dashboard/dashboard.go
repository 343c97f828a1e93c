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

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/rankings"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/server/api/feeds"
	"github.com/freelancer-matching/service/server/dashboard/accounts"
	"github.com/freelancer-matching/service/server/dashboard/apikeys"
	"github.com/freelancer-matching/service/server/dashboard/auditlog"
	"github.com/freelancer-matching/service/server/dashboard/commands"
	"github.com/freelancer-matching/service/server/dashboard/directory"
	"github.com/freelancer-matching/service/server/dashboard/interviews"
	"github.com/freelancer-matching/service/server/dashboard/outcomes"
	"github.com/freelancer-matching/service/server/dashboard/overview"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/playground"
	"github.com/freelancer-matching/service/server/dashboard/reference"
	"github.com/freelancer-matching/service/server/dashboard/requests"
	"github.com/freelancer-matching/service/server/dashboard/savedbriefs"
	"github.com/freelancer-matching/service/server/dashboard/settings"
	"github.com/freelancer-matching/service/server/dashboard/signin"
	"github.com/freelancer-matching/service/server/dashboard/teamwork"
	"github.com/freelancer-matching/service/server/dashboard/traffic"
	"github.com/freelancer-matching/service/server/dashboard/transcript"
	"github.com/freelancer-matching/service/server/dashboard/upload"
	"github.com/freelancer-matching/service/server/dashboard/webhooks"
)

// Config holds what the dashboard depends on. All fields are required.
type Config struct {
	Accounts *account.Services
	Chains   auditlog.Chains
	Keys     *apikey.Service
	Usage    traffic.Usage
	Quota    apikeys.Quota
	Views    Views
	Health   overview.Health
	API      playground.API
	Skills   playground.Skills
	Matcher  playground.Matcher
	// Documents reads adverts in files.
	Documents playground.Documents
	Outcomes  Outcomes
	Evidence  directory.Evidence
	// Currencies returns the codes of the data set's currency, or "" if there is none, and of those that amounts can be
	// converted from.
	Currencies func(ctx context.Context) (data string, others []string)
	Loads      overview.Loads
	Uploads    Uploads
	Rollback   upload.Rollback

	Freelancers directory.Freelancers
	Interviews  interviews.Interviews
	Webhooks    feeds.Endpoints
	Results     *results.Service
	Projects    *projects.Service
	Rankings    *rankings.Service
	Briefs      Briefs
	BriefRanker *briefs.Ranker
	Learning    playground.Learning
	Requests    *requestlog.Log
	Sessions    page.SessionStore
	Exports     settings.Exports
	Changes     settings.Changes

	// ProjectLink returns the address of the page that the token of a link to a project opens.
	ProjectLink func(token string) string

	PublicURL *url.URL // scheme and host that users see; https makes cookies secure
	Version   string   // of the program
	Banner    string   // a sentence on every page; "" for none
	SignUp    account.SignUpPolicy
	// RequireTwoFactor keeps administrators from everything else until they have a second factor.
	RequireTwoFactor bool
	Log              *slog.Logger
	Now              func() time.Time
	Address          func(*http.Request) netip.Addr // of the client, as seen through trusted proxies
}

// Outcomes stores, reads and counts events about matches; see events.Service and store.MatchEvents.
type Outcomes interface {
	playground.Outcomes
	directory.Outcomes
	outcomes.Events
}

// Briefs manages the saved briefs of accounts; see briefs.Service.
type Briefs interface {
	playground.Briefs
	savedbriefs.Briefs
	directory.Briefs
}

// Views limits the freelancers that accounts see in a day; see views.Limiter.
type Views interface {
	traffic.Views
	page.Views
}

// Uploads stores, reads, publishes and lists files; see uploads.Service.
type Uploads interface {
	upload.Uploads
	overview.Uploads
}

// New returns the handler for all paths under /dashboard.
func New(c Config) http.Handler { return page.New(pages(c), routes(c)) }

// pages returns what all pages share.
func pages(c Config) page.Config {
	functions := template.FuncMap{}
	for _, group := range []template.FuncMap{
		playground.Functions(c.Now), transcript.Functions(), reference.Functions(),
	} {
		maps.Copy(functions, group)
	}

	return page.Config{
		Accounts: c.Accounts, Sessions: c.Sessions,
		Static: staticFiles, Templates: templateFiles, Functions: functions,
		PublicURL: c.PublicURL, Version: c.Version, Banner: c.Banner, RequireTwoFactor: c.RequireTwoFactor,
		Log: c.Log, Now: c.Now, Address: c.Address,
	}
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
		Health: c.Health, Loads: c.Loads, Uploads: c.Uploads, Rollback: c.Rollback, PublicURL: c.PublicURL,
		Version: c.Version, Log: c.Log,
	}
	files := upload.Handler{Uploads: c.Uploads, Rollback: c.Rollback}
	signIn := signin.Handler{Accounts: c.Accounts, SignUp: c.SignUp, Address: c.Address}
	own := settings.Handler{
		Accounts: c.Accounts, Exports: c.Exports, Results: c.Results, Changes: c.Changes, PublicURL: c.PublicURL,
	}
	keyPages := apikeys.Handler{
		Accounts: c.Accounts.Accounts, Keys: c.Keys, Quotas: quotas, PublicURL: c.PublicURL, Now: c.Now,
	}
	usagePages := traffic.Handler{
		Accounts: c.Accounts.Accounts, Keys: c.Keys, Usage: c.Usage, Views: c.Views, Quotas: quotas, Log: c.Log, Now: c.Now,
	}
	logged := requests.Handler{Accounts: c.Accounts.Accounts, Keys: c.Keys, Requests: c.Requests, Now: c.Now}
	stored := interviews.Handler{Interviews: c.Interviews, PublicURL: c.PublicURL, Now: c.Now}
	auditLog := auditlog.Handler{
		Accounts: c.Accounts.Accounts, Users: c.Accounts.Users, Log: c.Accounts.AuditLog, Chains: c.Chains,
	}
	people := directory.Handler{
		Freelancers: c.Freelancers, Evidence: c.Evidence, Matcher: c.Matcher, Outcomes: c.Outcomes, Interviews: c.Interviews,
		Briefs: c.Briefs, Ranker: c.BriefRanker, Views: c.Views, Results: c.Results, Currencies: c.Currencies, Log: c.Log,
		Now: c.Now,
	}
	saved := savedbriefs.Handler{
		Briefs: c.Briefs, Records: c.Freelancers, Views: c.Views, Endpoints: c.Webhooks, Currencies: c.Currencies,
	}
	menu := commands.Handler{Projects: c.Projects, Named: people.Named, Log: c.Log}
	work := teamwork.Handler{
		Projects: c.Projects, Results: c.Results, Users: c.Accounts.Users, Records: c.Freelancers, Outcomes: c.Outcomes,
		Briefs: c.Briefs, Currencies: c.Currencies, LinkURL: c.ProjectLink,
	}
	outcomePages := outcomes.Handler{
		Events: c.Outcomes, Results: c.Results, Usage: c.Usage, Matcher: c.Matcher, Log: c.Log, Now: c.Now,
	}
	hooks := webhooks.Handler{Endpoints: c.Webhooks}

	return slices.Concat(
		signIn.Routes(),
		home.Routes(),
		menu.Routes(),
		data.Routes(),
		files.Routes(),
		keyPages.Routes(),
		usagePages.Routes(),
		logged.Routes(),
		playground.Routes(playground.Config{
			API: c.API, Keys: c.Keys, Results: c.Results, Projects: c.Projects, Requests: c.Requests, Skills: c.Skills,
			Rankings: c.Rankings, Briefs: c.Briefs, Learning: c.Learning, Users: c.Accounts.Users, Records: c.Freelancers,
			Views: c.Views, Currencies: c.Currencies, Matcher: c.Matcher, Documents: c.Documents, Outcomes: c.Outcomes,
			PublicURL: c.PublicURL, Log: c.Log, Now: c.Now, Address: c.Address,
		}),
		work.Routes(),
		saved.Routes(),
		outcomePages.Routes(),
		stored.Routes(),
		hooks.Routes(),
		reference.NewHandler(c.PublicURL).Routes(),
		own.Routes(),
		accounts.NewMembers(c.Accounts, c.PublicURL).Routes(),
		accounts.NewAdministration(c.Accounts, c.Keys, c.PublicURL, c.Now).Routes(),
		people.Routes(),
		auditLog.Routes(),
		[]page.Route{page.EverythingElse()},
	)
}
