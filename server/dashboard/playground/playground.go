package playground

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/rankings"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/apikeys"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/snippet"
)

// A Config is what the playground depends on. All fields are required.
type Config struct {
	API      API
	Keys     *apikey.Service
	Results  *results.Service
	Projects *projects.Service
	Rankings *rankings.Service
	Briefs   Briefs
	Learning Learning
	Users    *account.Users
	Requests *requestlog.Log
	Skills   Skills
	Records  Records
	Views    page.Views
	Matcher  Matcher
	// Documents reads adverts in files.
	Documents Documents
	// Outcomes stores what became of the people in matches.
	Outcomes Outcomes
	// Currencies returns the codes of the data set's currency, or "" if there is none, and of those that amounts can be
	// converted from.
	Currencies func(ctx context.Context) (data string, others []string)
	PublicURL  *url.URL // of the API, for requests written as code
	Log        *slog.Logger
	Now        func() time.Time
	Address    func(*http.Request) netip.Addr // of the client
}

// Routes returns the routes of the playground.
func Routes(c Config) []page.Route {
	shared := &client{Config: c, analyzer: analysis.New()}
	matches := &matchHandler{client: shared, adverts: make(chan struct{}, maxAdverts)}
	skills := &skillHandler{shared}
	resumes := &resumeHandler{shared}
	interviews := &interviewHandler{shared}
	explanations := &explainHandler{shared}
	saved := &resultHandler{shared}
	profiles := &profileHandler{shared}
	tuning := &tuneHandler{shared, make(chan struct{}, maxTuning)}
	versions := &rankingHandler{tuning}
	composed := &teamHandler{shared}

	// A result is shown by the page that sends such requests, which needs the client itself.
	shared.pages = map[results.Kind]resultPage{
		results.Match:     matches.matchResult,
		results.Skill:     skills.skillResult,
		results.Resume:    resumes.resumeResult,
		results.Interview: interviews.interviewResult,
		results.Explain:   explanations.explainResult,
		results.Team:      composed.teamResult,
	}

	return []page.Route{
		page.Get("/playground", account.Member, matches.showMatchForm),
		page.Post("/playground", account.Member, matches.playMatch).Limit(page.MaxMatchForm),
		page.Post("/playground/advert", account.Member, matches.readAdvert).WithFile(page.MaxResumeForm),
		page.Post("/playground/form", account.Member, matches.editProposals).Limit(page.MaxMatchForm),
		page.Get("/playground/skills", account.Member, matches.completeSkill),
		page.Get("/playground/r/{result}", account.Member, saved.showResult),
		page.Get("/playground/r/{result}/matches.csv", account.Member, saved.exportMatchesCSV),
		page.Get("/playground/r/{result}/matches.json", account.Member, saved.exportMatchesJSON),
		page.Get("/playground/r/{result}/freelancers/{freelancer}", account.Member, profiles.showProfile),
		page.Post("/playground/r/{result}/freelancers/{freelancer}", account.Member, profiles.recordOutcome),
		page.Post("/playground/r/{result}/freelancers/{freelancer}/shortlist", account.Member, profiles.shortlist),
		page.Get("/playground/r/{result}/tune", account.Member, tuning.showTuning),
		page.Get("/rankings", account.Member, page.Showing(versions.listPage)),
		page.Post("/rankings", account.Owner, versions.publish),
		page.Post("/rankings/published", account.Owner, versions.rollBack),
		page.Post("/rankings/learning", account.Owner, versions.setLearning),
		page.Get("/playground/r/{result}/people", account.Member, profiles.comparePeople),
		page.Get("/teams", account.Member, composed.showForm),
		page.Post("/teams", account.Member, composed.play).Limit(page.MaxMatchForm),
		page.Post("/teams/form", account.Member, composed.editForm).Limit(page.MaxMatchForm),
		page.Post("/playground/r/{result}/team", account.Member, composed.saveProject),
		page.Get("/projects/{project}/compare", account.Member, profiles.compareInProject),
		page.Post("/playground/r/{result}/project", account.Member, profiles.saveProject),
		page.Post("/playground/r/{result}/watch", account.Member, saved.watchResult),
		page.Post("/projects/{project}/watch", account.Member, saved.watchProject),
		page.Post("/playground/r/{result}/explain", account.Member, explanations.playExplain),
		page.Get("/playground/compare", account.Member, saved.showComparison),
		page.Get("/playground/skill", account.Member, skills.showSkillForm),
		page.Post("/playground/skill", account.Member, skills.playSkill),
		page.Get("/playground/resume", account.Member, resumes.showResumeForm),
		page.Post("/playground/resume", account.Member, resumes.playResume).WithFile(page.MaxResumeForm),
		page.Get("/playground/interview", account.Member, interviews.showInterviewForm),
		page.Post("/playground/interview", account.Member, interviews.playInterview).Limit(page.MaxInterviewForm),
	}
}

// playgroundView is the part that all playground pages share: the keys to choose from, and the request sent last with
// its response.
type playgroundView struct {
	Keys    []page.Option // active keys that may be used on the page
	KeyHint string        // which other active keys may not, and why; "" if there are none
	Recent  []results.Summary

	Sent      bool   // the fields below are set
	ResultID  string // "" if the result could not be saved
	Match     string // ID of the match result that a freelancer's rank belongs to; "" for none
	Title     string
	CreatedAt time.Time
	Path      string   // of the request, with its query
	Headers   []string // "Name: value", besides the key and the content type
	Request   string   // body in JSON; "" if it was a file
	Status    int      // of the response
	Response  string   // body in JSON; "" if it is not to be shown
	Snippets  []snippet.Snippet
	Failure   *failureView
	Limit     results.RateLimit

	faults *page.Faults
}

// failureView is an error response.
type failureView struct {
	Status    int
	Code      string
	Message   string
	RequestID string
}

// FirstKey returns the ID of the key that is selected at first, or "" if there is none.
func (p playgroundView) FirstKey() string {
	if len(p.Keys) == 0 {
		return ""
	}
	return p.Keys[0].Value
}

// reject records that a form was not sent because of invalid fields.
func (p *playgroundView) reject(message string, fields []matching.FieldError) {
	p.faults = &page.Faults{Message: message, Fields: fields}
}

// operationOf returns the operation that a key must allow for a page of the playground.
func operationOf(kind results.Kind) string {
	return map[results.Kind]string{
		results.Match: "match", results.Skill: "verify-skill", results.Resume: "parse", results.Interview: "interview",
		results.Team: "match",
	}[kind]
}

// playgroundView returns the shared part of a playground page that has not sent a request yet.
func (h *client) playgroundView(v *page.Visit, kind results.Kind) (playgroundView, error) {
	keys, err := h.Keys.ListOf(v.Context(), v.Account.ID)
	if err != nil {
		return playgroundView{}, err
	}

	var view playgroundView
	var others []string
	for _, k := range slices.Backward(keys) {
		// The pages show records of the live index beside the response to the key.
		if k.State(h.Now()) != apikey.Active || k.Test() {
			continue
		}

		// A key that can't be used here is named with the reason, so that nobody looks for it in vain.
		switch matching.CodeOf(k.Allows(operationOf(kind), h.Address(v.Request))) {
		case "":
			view.Keys = append(view.Keys, apikeys.Option(k))
		case apikey.CodeNetwork:
			others = append(others, k.Name+" (restricted to other network addresses than yours)")
		default:
			others = append(others, k.Name+" (does not allow "+operationOf(kind)+")")
		}
	}

	if len(others) > 0 {
		view.KeyHint = "Not listed: " + strings.Join(others, ", ") + "."
	}
	view.Recent, err = h.Results.Recent(v.Context(), v.Account.ID, v.User.ID, kind, maxRecent)

	return view, err
}

// formFaults returns the details of an error response with the names of form fields, or nil if it has none.
func formFaults(failure *wire.Failure) *page.Faults {
	if len(failure.Error.Details) == 0 {
		return nil
	}
	f := &page.Faults{Message: failure.Error.Message}
	for _, detail := range failure.Error.Details {
		detail.Field = page.FormField(detail.Field)
		f.Fields = append(f.Fields, detail)
	}
	return f
}
