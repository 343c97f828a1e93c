package playground

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// Briefs saves the briefs of results and projects; see briefs.Service.
type Briefs interface {
	Watches() bool
	Page(ctx context.Context, account, user string, offset, limit int) ([]briefs.Seen, int, error)
	Get(ctx context.Context, account, id string) (briefs.Brief, error)
	OfOrigin(ctx context.Context, account, user string, origins ...string) (b briefs.Seen, found bool, err error)
	Create(
		ctx context.Context, by audit.By, account, origin string, n briefs.Settings, limit int,
	) (briefs.Brief, error)
}

const (
	// savedField is the parameter with the ID of a saved brief, which fills in the form.
	savedField = "brief"
	// defaultBriefName is the name of a saved brief without a better one.
	defaultBriefName = "Saved brief"
)

// SavedBriefURL returns the address of the form with a saved brief.
func SavedBriefURL(id string) string {
	return page.Root + "/playground?" + url.Values{savedField: {id}}.Encode() + "#match"
}

// A Bell says whether the brief of a project or of a result is saved, and saves it.
type Bell struct {
	URL     string // address of the saved brief; "" for a brief that isn't saved
	Action  string // address of the form that saves it
	Watches bool   // the search engine can watch briefs
	Closed  bool
	People  int // on the list
	New     int // of these, since the user looked last
	Full    int // the number of saved briefs that the plan allows, if they are used up; otherwise 0
}

// NewBell returns the bell of a project or a result. origins are the IDs that its saved brief may have been saved from,
// and action is the address of the form that saves it.
func NewBell(v *page.Visit, saved Briefs, action string, origins ...string) (*Bell, error) {
	bell := &Bell{Action: action, Watches: saved.Watches()}
	b, found, err := saved.OfOrigin(v.Context(), v.Account.ID, v.User.ID, origins...)
	if err != nil {
		return nil, err
	}
	if found {
		bell.URL = page.BriefURL(b.ID)
		bell.Closed = b.Settings.Closed
		bell.People = len(b.People)
		bell.New = b.New()
		return bell, nil
	}

	_, total, err := saved.Page(v.Context(), v.Account.ID, v.User.ID, 0, 0)
	plan, _ := apikey.PlanNamed(v.Account.Plan)
	if plan.Briefs > 0 && total >= plan.Briefs {
		bell.Full = plan.Briefs
	}
	return bell, err
}

// Label returns what a bell says about a saved brief.
func (b *Bell) Label() string {
	switch {
	case b.Closed:
		return "Brief closed"
	case !b.Watches:
		return "Brief saved"
	case b.New > 0:
		return fmt.Sprintf("Watched: %d new of %d", b.New, b.People)
	case b.People > 0:
		return fmt.Sprintf("Watched: %d on the list", b.People)
	default:
		return "Watched"
	}
}

// originsOf returns what the saved brief of a result may have been saved from. The first is what a new one is.
func originsOf(r *results.Result, project *openProject) []string {
	if project == nil {
		return []string{r.ID}
	}
	return []string{project.ID, project.Result, r.ID}
}

// addBell adds the bell to an answer that is saved.
func (h *client) addBell(v *page.Visit, r *results.Result, answer *answerView) (err error) {
	if r.ID != "" {
		answer.Bell, err = NewBell(v, h.Briefs, resultsPath+r.ID+"/watch", originsOf(r, answer.Project)...)
	}
	return err
}

// watchResult saves the brief of a result.
func (h *resultHandler) watchResult(v *page.Visit) error {
	r, err := h.savedMatches(v)
	if err != nil {
		return err
	}
	project, err := h.openProject(v.Context(), &r)
	if err != nil {
		return err
	}
	var request wire.MatchRequest
	if err := decodeResponse(r.Request, &request); err != nil {
		return err
	}

	name := r.Title
	if project != nil {
		name = project.Name
	}
	return h.watch(v, originsOf(&r, project), name, &request, resultsPath+r.ID)
}

// watchProject saves the brief of a project.
func (h *resultHandler) watchProject(v *page.Visit) error {
	p, _, err := h.Projects.Find(v.Context(), v.Account.ID, v.Request.PathValue("project"))
	if err != nil {
		return err
	}
	back := page.Root + "/projects/" + p.ID
	request, err := h.requestOf(v, p.Brief.Form)
	if err != nil {
		return h.refuseWatch(v, err, back)
	}
	return h.watch(v, []string{p.ID, p.Brief.Result}, p.Name, &request, back)
}

// watch saves a request as a brief whose changes are announced if the search engine can watch it. Then it shows the
// page that the button is on.
func (h *client) watch(v *page.Visit, origins []string, name string, r *wire.MatchRequest, back string) error {
	_, found, err := h.Briefs.OfOrigin(v.Context(), v.Account.ID, v.User.ID, origins...)
	if err != nil {
		return err
	}
	if found {
		v.Notice("This brief was saved before.")
		return v.Redirect(back)
	}

	plan, _ := apikey.PlanNamed(v.Account.Plan)
	settings, err := h.settingsOf(v, name, r, plan)
	if err == nil {
		_, err = h.Briefs.Create(v.Context(), v.By(), v.Account.ID, origins[0], settings, plan.Briefs)
	}
	switch {
	case errors.Is(err, briefs.ErrWatched):
		v.Notice("This brief was saved before.")
	case err != nil:
		return h.refuseWatch(v, err, back)
	case h.Briefs.Watches():
		v.Notice("Watched from now on. Saved briefs shows who is on the list, and who enters it.")
	default:
		v.Notice("Saved. Match it again on the page Saved briefs to see who is best.")
	}
	return v.Redirect(back)
}

// settingsOf returns the settings of a brief for a request. The brief is ranked as the request was: by the published
// ranking of the account unless it names a profile or weights.
func (h *client) settingsOf(
	v *page.Visit, name string, r *wire.MatchRequest, plan apikey.Plan,
) (briefs.Settings, error) {
	published, err := h.published(v)
	if err != nil {
		return briefs.Settings{}, err
	}
	if published != nil && r.Profile == "" && len(r.Weights) == 0 {
		r.Profile = published.Profile
		r.Weights = published.Weights
	}
	r.Limit = nil
	r.Offset = nil
	r.Explain = false
	r.Details = false

	name = cmp.Or(page.Cut(strings.Join(strings.Fields(name), " "), briefs.MaxName), defaultBriefName)
	notify := h.Briefs.Watches()
	saved := wire.SavedBriefRequest{Name: &name, Match: r, Notify: &notify}
	var faults validate.Faults
	saved.Check(plan, &faults)
	n := briefs.Settings{Top: briefs.DefaultTop}
	return n, errors.Join(faults.Err(), saved.Apply(&n))
}

// refuseWatch shows the page that the button is on with the reason for which a brief wasn't saved.
func (h *client) refuseWatch(v *page.Visit, err error, back string) error {
	e, isCoded := errors.AsType[*matching.Error](err)
	if !isCoded || e.Code != matching.CodeInvalid && e.Code != briefs.CodeFull {
		return err
	}
	reason := e.Message
	if len(e.Details) > 0 {
		reason = page.Sentence(e.Details[0].Message)
	}
	v.Notice("The brief wasn’t saved. " + reason)
	return v.Redirect(back)
}

// savedForm returns the form with a saved brief, and what the form can't send, as a sentence.
func (h *client) savedForm(v *page.Visit, id string) (form url.Values, note string, err error) {
	b, err := h.Briefs.Get(v.Context(), v.Account.ID, id)
	if matching.CodeOf(err) == briefs.CodeUnknown {
		err = page.ErrNotFound
	}
	if err != nil {
		return nil, "", err
	}
	var r wire.MatchRequest
	if err := json.Unmarshal(b.Settings.Request, &r); err != nil {
		return nil, "", fmt.Errorf("decode the match of brief %s: %w", b.ID, err)
	}
	form = formOf(&r)
	form.Set("limit", defaultLimit)
	return form, missingNote(&r), nil
}

// missingNote returns what of a request the form can't send, as a sentence, or "".
func missingNote(r *wire.MatchRequest) string {
	missing := notInForm(r)
	if len(missing) == 0 {
		return ""
	}
	return "The form has no field for " + strings.Join(missing, ", ") + ", so it sends the brief without."
}

// RequestChips returns the match of a saved brief in a few words. Its amounts are in the given currency unless it names
// one.
func RequestChips(request json.RawMessage, currency string) ([]BriefChip, error) {
	var r wire.MatchRequest
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, fmt.Errorf("decode a saved brief: %w", err)
	}
	isHourly := r.BudgetType != nil && *r.BudgetType == string(matching.BudgetHourly)
	if r.Currency != nil {
		currency = *r.Currency
	}
	return briefChips(formOf(&r), isHourly, currency), nil
}
