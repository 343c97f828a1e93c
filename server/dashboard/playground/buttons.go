package playground

import (
	"net/url"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/server/dashboard/page"
)

// settableFields are the fields that the buttons of chips may set.
var settableFields = []string{
	"job_title", "required_skills", "nice_to_have_skills", "budget_low", "budget_high", "budget_type", "currency",
	"timeline", "effort_hours", "effort_unit", "start_date", "available", "countries", "languages", "time_zone",
	"within_hours", "must_have_skills", "exclude_skills",
}

// newPrefix begins the names of fields beside an answer, whose values replace those of the brief.
const newPrefix = "new_"

// applyButtons changes the submitted brief as the pressed button says: it uses a suggested filter ("use"), removes one
// ("lift"), replaces a skill ("replace"), or sets fields ("set"). The fields beside an answer replace those of the
// brief.
func applyButtons(v *page.Visit) {
	for field, values := range filterForm(v.Value("use")) {
		setField(v, field, values[0])
	}
	for _, field := range filterFields(v.Value("lift")) {
		removeField(v, field)
	}
	replaceSkill(v.Request.PostForm)

	changes, err := url.ParseQuery(v.Value("set"))
	if err == nil {
		for _, field := range settableFields {
			if changes.Has(field) && page.IsText(changes.Get(field)) {
				setField(v, field, changes.Get(field))
			}
		}
	}
	for _, field := range settableFields {
		if text := v.Value(newPrefix + field); text != "" {
			setField(v, field, text)
		}
		removeField(v, newPrefix+field)
	}

	for _, name := range []string{"use", "lift", "replace", "set"} {
		removeField(v, name)
	}
	v.Request.Form["required_skills"], v.Request.Form["nice_to_have_skills"] =
		v.Request.PostForm["required_skills"], v.Request.PostForm["nice_to_have_skills"]
}

func removeField(v *page.Visit, field string) {
	v.Request.PostForm.Del(field)
	v.Request.Form.Del(field)
}

// change returns the value of a button that sets fields, given as pairs of a name and a value.
func change(pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return values.Encode()
}

// without returns the list in a field without an item, as the field holds it.
func without(list []string, item string) string {
	rest := slices.DeleteFunc(slices.Clone(list), func(other string) bool { return other == item })
	return strings.Join(rest, ", ")
}

// with returns the list in a field with another item, as the field holds it.
func with(list []string, item string) string {
	if !slices.Contains(list, item) {
		list = append(slices.Clone(list), item)
	}
	return strings.Join(list, ", ")
}

// replaceSkill replaces a skill of the brief by another one. The button of a correction sends both as "replace",
// separated by a comma, which no skill of the form contains.
func replaceSkill(form url.Values) {
	from, to, ok := strings.Cut(form.Get("replace"), ",")
	form.Del("replace")
	if !ok {
		return
	}
	for _, field := range []string{"required_skills", "nice_to_have_skills"} {
		skills := page.SplitList(form.Get(field))
		for i, skill := range skills {
			if strings.EqualFold(skill, from) {
				skills[i] = to
			}
		}
		if form.Has(field) {
			form.Set(field, strings.Join(skills, ", "))
		}
	}
}
