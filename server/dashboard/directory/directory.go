package directory

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
	"freelancer-matching/freelancers"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/dashboard/page"
)

// A Handler serves the pages on which administrators read, change and erase freelancers.
type Handler struct{ Freelancers Freelancers }

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	const admin = account.Administrator

	return []page.Route{
		page.Get("/admin/freelancers", admin, h.showFreelancers),
		page.Get("/admin/freelancers/{freelancer}", admin, page.Showing(h.freelancerPage)),
		page.Post("/admin/freelancers/{freelancer}", admin, h.changeFreelancer).Limit(page.MaxMatchForm).ConfirmedBy(admin),
		page.Post("/admin/freelancers/{freelancer}/delete", admin, h.deleteFreelancer).ConfirmedBy(admin),
	}
}

// Freelancers reads and changes single freelancers; see freelancers.Service.
type Freelancers interface {
	Get(ctx context.Context, id string) (freelancers.Stored, error)
	List(ctx context.Context, f *matching.Filters, after string, limit int) (freelancers.Page, error)
	Parse(ctx context.Context, object []byte, currency string) (freelancers.Record, []matching.FieldError, error)
	Apply(ctx context.Context, by audit.By, account string, changes []freelancers.Change) ([]freelancers.Result, error)
}

// freelancersPath is the path of the list.
const freelancersPath = page.Root + "/admin/freelancers"

// freelancersPerPage is how many freelancers a page of the list holds.
const freelancersPerPage = 50

// freelancersView is one page of the list, in the order of IDs.
type freelancersView struct {
	Rows    []freelancerRow
	Damaged int    // left out of this page
	Next    string // URL of the next page; "" on the last one
	First   string // URL of the first page; "" if this is it
}

type freelancerRow struct {
	matching.Freelancer
	URL   string
	Place string
}

func freelancerURL(id string) string { return freelancersPath + "/" + url.PathEscape(id) }

// showFreelancers shows a page of the list, or the freelancer whose ID was searched for.
func (h *Handler) showFreelancers(v *page.Visit) error {
	id := strings.TrimSpace(v.Request.FormValue("id"))
	p := page.Page{Template: "freelancers", Title: "Freelancers", Section: "freelancers", Form: url.Values{"id": {id}}}

	// An ID names one freelancer, so a search for it goes straight to the page.
	if id != "" {
		_, err := h.Freelancers.Get(v.Context(), id)
		if err == nil {
			return v.Redirect(freelancerURL(id))
		}
		if matching.CodeOf(err) != matching.CodeFreelancerUnknown {
			return err
		}

		p.Data = freelancersView{}
		return v.OK(p)
	}

	after := v.Request.FormValue("after")
	list, err := h.Freelancers.List(v.Context(), &matching.Filters{}, after, freelancersPerPage)
	if err != nil {
		return err
	}

	view := freelancersView{Damaged: list.Damaged}
	for _, f := range list.Freelancers {
		row := freelancerRow{Freelancer: f.Freelancer, URL: freelancerURL(f.Freelancer.ID), Place: f.Freelancer.Location}
		if row.Place == "" {
			row.Place = f.Freelancer.Country
		}
		view.Rows = append(view.Rows, row)
	}

	if list.Next != "" {
		view.Next = freelancersPath + "?" + url.Values{"after": {list.Next}}.Encode()
	}

	if after != "" {
		view.First = freelancersPath
	}
	p.Data = view

	return v.OK(p)
}

// freelancerView is the data of the page with one freelancer.
type freelancerView struct {
	ID, Path string
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
			ID: id, Path: freelancerURL(id), Unknown: page.Options("", "Unknown", "true", "Yes", "false", "No"),
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

// recordOf returns the record in a form as a JSON object. An empty field is unknown.
func recordOf(v *page.Visit) ([]byte, error) {
	object := map[string]any{}
	for i := range matching.Fields {
		field := &matching.Fields[i]
		text := v.Value(field.Name)

		switch {
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
	object, err := recordOf(v)
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

	return v.Redirect(freelancerURL(id))
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
	return v.Redirect(freelancersPath)
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
