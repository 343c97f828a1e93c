package directory

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// newFreelancer returns the page that adds the person of a saved resume, with the draft of the record in the form.
func (h *Handler) newFreelancer(v *page.Visit) (page.Page, error) {
	id := v.Request.FormValue("result")
	r, err := h.Results.Get(v.Context(), v.Account.ID, id)
	if err != nil {
		return page.Page{}, err
	}
	if r.Kind != results.Resume || r.Status != http.StatusOK {
		return page.Page{}, results.ErrNotFound
	}

	form, err := formOfDraft(r.Response)
	if err != nil {
		return page.Page{}, err
	}
	form.Set("result", r.ID)
	return newForm(form), nil
}

// newForm returns the page with a form for a new record.
func newForm(form url.Values) page.Page {
	back := page.Option{Value: page.FreelancersPath, Label: "Freelancers"}
	if result := form.Get("result"); result != "" {
		back = page.Option{Value: page.Root + "/playground/r/" + url.PathEscape(result), Label: "Resume"}
	}
	return page.Page{
		Template: "freelancer", Title: "Add a freelancer", Section: "freelancers", Form: form,
		Data: freelancerView{Path: page.Root + "/admin/new-freelancer", Back: back, Unknown: unknown()},
	}
}

// formOfDraft returns the form with the draft of a record in a response about a resume.
func formOfDraft(response []byte) (url.Values, error) {
	var answer struct {
		Data struct {
			Freelancer map[string]any `json:"freelancer"`
		} `json:"data"`
	}
	if err := json.Unmarshal(response, &answer); err != nil {
		return nil, fmt.Errorf("decode the draft of a record: %w", err)
	}

	form := url.Values{}
	for name, value := range answer.Data.Freelancer {
		if name == "id" || matching.FieldNamed(name) != nil {
			form.Set(name, fieldText(value))
		}
	}
	return form, nil
}

// fieldText returns a value of a draft as a field of the form has it. Lists have a line for each entry.
func fieldText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		lines := make([]string, len(v))
		for i, entry := range v {
			lines[i] = fieldText(entry)
		}
		return strings.Join(lines, "\n")
	case map[string]any: // a language
		return strings.TrimSpace(fieldText(v["language"]) + " " + fieldText(v["level"]))
	default:
		return ""
	}
}

// addFreelancer stores a new record. It never replaces one.
func (h *Handler) addFreelancer(v *page.Visit) error {
	id := v.Value("id")
	object, err := recordOf(v, true)
	if err != nil {
		return err
	}

	record, faults, err := h.Freelancers.Parse(v.Context(), object, "")
	if err == nil {
		if id == "" {
			faults = append(faults, matching.FieldError{Field: "id", Code: "required", Message: "enter an ID"})
		}
		err = matching.Invalid(faults)
	}
	if err == nil {
		err = h.applyChange(v, freelancers.Change{
			Kind: freelancers.Put, ID: id, Record: record, If: freelancers.Condition{Exists: matching.Some(false)},
		})
	}

	if matching.CodeOf(err) == freelancers.CodeVersion {
		err = matching.Invalid([]matching.FieldError{{
			Field: "id", Code: "taken", Message: "a freelancer with this ID exists; open their profile to change the record",
		}})
	}
	if err != nil {
		return v.Reject(err, newForm(v.Request.PostForm))
	}
	v.Notice("Added. Searches find this freelancer from now on.")

	return v.Redirect(page.FreelancerURL(id))
}

// unknown returns the choices of a flag.
func unknown() []page.Option { return page.Options("", "Unknown", "true", "Yes", "false", "No") }
