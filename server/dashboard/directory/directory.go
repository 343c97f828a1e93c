package directory

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A Handler serves the pages about freelancers: the list and the profiles for members, and the forms with which
// administrators change and erase records.
type Handler struct {
	Freelancers Freelancers
	Evidence    Evidence
	Matcher     Matcher
	Outcomes    Outcomes
	Interviews  Interviews
	Briefs      Briefs
	Ranker      *briefs.Ranker
	Views       page.Views
	Results     *results.Service
	// Currencies returns the code of the data set's currency, "" if it has no currency, and the codes of others.
	Currencies func(ctx context.Context) (data string, others []string)
	Log        *slog.Logger
	Now        func() time.Time
}

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	const admin = account.Administrator

	return []page.Route{
		page.Get("/freelancers", account.Member, h.showList),
		page.Get("/freelancers/{freelancer}", account.Member, h.showProfile),
		page.Get("/admin/new-freelancer", admin, page.Showing(h.newFreelancer)),
		page.Post("/admin/new-freelancer", admin, h.addFreelancer).Limit(page.MaxMatchForm).ConfirmedBy(admin),
		page.Get("/admin/freelancers", admin, page.RedirectTo("/freelancers")),
		page.Get("/admin/freelancers/{freelancer}", admin, page.Showing(h.freelancerPage)),
		page.Post("/admin/freelancers/{freelancer}", admin, h.changeFreelancer).Limit(page.MaxMatchForm).ConfirmedBy(admin),
		page.Post("/admin/freelancers/{freelancer}/delete", admin, h.deleteFreelancer).ConfirmedBy(admin),
	}
}

// Freelancers reads and changes single freelancers; see freelancers.Service.
type Freelancers interface {
	Get(ctx context.Context, id string) (freelancers.Stored, error)
	GetAll(ctx context.Context, ids []string) (map[string]freelancers.Stored, error)
	Find(ctx context.Context, q freelancers.Search, offset, limit int) (freelancers.Found, error)
	Source(ctx context.Context) (*engine.Provenance, error)
	Parse(ctx context.Context, object []byte, currency string) (freelancers.Record, []matching.FieldError, error)
	Apply(ctx context.Context, by audit.By, account string, changes []freelancers.Change) ([]freelancers.Result, error)
}

// editPath is the path of the forms with records.
const editPath = page.Root + "/admin/freelancers/"

// editURL returns the address of the form with a freelancer's record.
func editURL(id string) string { return editPath + url.PathEscape(id) }

// freelancerView is the data of the page with one freelancer.
type freelancerView struct {
	ID, Path string        // ID is "" for a new record
	Back     page.Option   // the page that the form belongs to
	Unknown  []page.Option // for yes or no
}

// freelancerPage returns the page with one freelancer's record in a form.
func (h *Handler) freelancerPage(v *page.Visit) (page.Page, error) {
	stored, err := h.Freelancers.Get(v.Context(), v.Request.PathValue("freelancer"))
	if err != nil {
		return page.Page{}, err
	}
	f := &stored.Freelancer
	form := url.Values{"version": {stored.Version}}
	for i := range matching.Fields {
		field := &matching.Fields[i]
		form.Set(field.Name, field.Text(f))
	}
	form.Set("languages", languageLines(f.Languages)) // in the words of a form, not of an export

	return freelancerForm(f.ID, f.Name, form), nil
}

// freelancerForm returns the page with a form for a record.
func freelancerForm(id, name string, form url.Values) page.Page {
	title := name
	if title == "" {
		title = id
	}
	return page.Page{
		Template: "freelancer", Title: title, Section: "freelancers", Form: form,
		Data: freelancerView{
			ID: id, Path: editURL(id), Back: page.Option{Value: page.FreelancerURL(id), Label: "Profile"},
			Unknown: unknown(),
		},
	}
}

// languageLines returns a line for each language, such as "de C1".
func languageLines(languages []matching.SpokenLanguage) string {
	lines := make([]string, len(languages))
	for i, l := range languages {
		lines[i] = strings.TrimSpace(l.Tag + " " + string(l.Level))
	}
	return strings.Join(lines, "\n")
}

// recordOf returns the record in a form as a JSON object. An empty field is unknown, or is left out of a new record, so
// that it can be derived from others.
func recordOf(v *page.Visit, isNew bool) ([]byte, error) {
	object := map[string]any{}
	for i := range matching.Fields {
		field := &matching.Fields[i]
		text := v.Value(field.Name)

		switch {
		case text == "" && isNew:
		case text == "":
			object[field.Name] = nil
		case field.Kind == matching.KindSkills || field.Kind == matching.KindLanguages:
			object[field.Name] = strings.Split(text, "\n")
		default:
			object[field.Name] = text
		}
	}
	return json.Marshal(object)
}

// changeFreelancer replaces a freelancer's record, unless somebody has changed it since the form was shown.
func (h *Handler) changeFreelancer(v *page.Visit) error {
	id := v.Request.PathValue("freelancer")
	object, err := recordOf(v, false)
	if err != nil {
		return err
	}

	record, faults, err := h.Freelancers.Parse(v.Context(), object, "")
	if err == nil {
		err = matching.Invalid(faults)
	}

	// The version was read with the form, so a change that somebody else made meanwhile is not overwritten.
	if err == nil {
		err = h.applyChange(v, freelancers.Change{
			Kind: freelancers.Put, ID: id, Record: record,
			If: freelancers.Condition{Versions: []string{v.Value("version")}},
		})
	}

	if err != nil {
		return v.Reject(staleForm(err), freelancerForm(id, v.Value("name"), v.Request.PostForm))
	}
	v.Notice("Saved. Searches use the new values from now on.")

	return v.Redirect(page.FreelancerURL(id))
}

// deleteFreelancer erases a freelancer from everywhere.
func (h *Handler) deleteFreelancer(v *page.Visit) error {
	id := v.Request.PathValue("freelancer")
	err := matching.Invalid([]matching.FieldError{{
		Field: "confirm", Code: "required", Message: "select the checkbox to erase the freelancer",
	}})
	if v.Value("confirm") != "" {
		err = h.applyChange(v, freelancers.Change{Kind: freelancers.Delete, ID: id})
	}
	if err != nil {
		p, pageErr := h.freelancerPage(v)
		if pageErr != nil {
			return errors.Join(err, pageErr)
		}
		return v.Reject(err, p)
	}
	v.Notice("Erased. Loads leave this freelancer out from now on.")
	return v.Redirect(page.FreelancersPath)
}

// applyChange makes one change and returns its error.
func (h *Handler) applyChange(v *page.Visit, change freelancers.Change) error {
	results, err := h.Freelancers.Apply(v.Context(), v.By(), v.Account.ID, []freelancers.Change{change})
	if err != nil {
		return err
	}
	return results[0].Err
}

// staleForm explains a version that doesn't match in the words of a form. It returns other errors unchanged.
func staleForm(err error) error {
	if matching.CodeOf(err) != freelancers.CodeVersion {
		return err
	}
	return &matching.Error{
		Code: freelancers.CodeVersion,
		Message: "Somebody else has changed this freelancer since you opened the form. " +
			"Open the page again, and repeat your changes.",
	}
}
