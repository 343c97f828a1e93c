package dashboard_test

import (
	"bytes"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/suggest"
	"github.com/freelancer-matching/service/resume"
)

// sendAdvert submits the form above the brief. A file is sent unless its name is "".
func (b *browser) sendAdvert(text, name, content string) answer {
	b.w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	b.w.must(form.WriteField("advert", text))
	file, err := form.CreateFormFile("file", name)
	b.w.must(err)
	_, err = io.WriteString(file, content)
	b.w.must(err)
	b.w.must(form.Close())
	header := http.Header{"Content-Type": {form.FormDataContentType()}}
	return b.send(http.MethodPost, "/dashboard/playground/advert", &body, header)
}

// shopAdvert returns what the matcher reads in an advert with everything.
func shopAdvert() match.Advert {
	return match.Advert{
		Title: "Shop developer", RequiredSkills: []string{"React", "Readings, Public"}, NiceToHaveSkills: []string{"Figma"},
		Budget: suggest.Budget{Low: 3000, High: 5000, Currency: "EUR"}, Days: matching.Some(14),
		StartDay: matching.Some(22_100),
		Filters: []matching.SuggestedFilter{
			{Filter: "countries", Value: []string{"AT", "DE"}, Because: []string{"based in Austria"}},
			{Filter: "exclude_skills", Value: []string{"WordPress"}, Because: []string{"no <b>WordPress"}},
		},
	}
}

// fieldsOf returns the values of the fields of the brief on a page.
func fieldsOf(a answer) url.Values {
	fields := url.Values{}
	input := regexp.MustCompile(`<input id="(\w+)" name="\w+" type="\w+" value="([^"]*)"`)
	for _, m := range input.FindAllStringSubmatch(a.body, -1) {
		fields.Set(m[1], html.UnescapeString(m[2]))
	}
	selected := regexp.MustCompile(`(?s)<select id="(\w+)"[^>]*>(.*?)</select>`)
	for _, m := range selected.FindAllStringSubmatch(a.body, -1) {
		if v := regexp.MustCompile(`value="([^"]+)" selected`).FindStringSubmatch(m[2]); v != nil {
			fields.Set(m[1], v[1])
		}
	}
	return fields
}

func TestAdvert_FillsInTheBrief(t *testing.T) {
	w := newWorld(t)
	b, _ := player(t, w)
	w.matcher.advert = shopAdvert()
	a := b.sendAdvert("A shop\r\n<script>alert(1)</script>", "", "").expect(t, http.StatusOK,
		"Read in the advert", "Shop developer", "3000–5000 EUR in all", "14 days", "Austria", "Germany",
		"Left out of the search because of “no <b>WordPress”", "not WordPress Exclude people with it", "Find with these")

	if w.matcher.text != "A shop\n<script>alert(1)</script>" || strings.Contains(a.body, "<script>alert") {
		t.Errorf("the matcher read %q", w.matcher.text)
	}
	got := fieldsOf(a)
	got.Del("key")
	want := url.Values{
		"job_title": {"Shop developer"}, "required_skills": {"React"}, "nice_to_have_skills": {"Figma"},
		"budget_low": {"3000"}, "budget_high": {"5000"}, "budget_type": {"fixed"}, "currency": {"EUR"},
		"timeline": {"14"}, "start_date": {"2030-07-05"}, "countries": {"AT, DE"}, "limit": {"50"},
	}
	if !cmp.Equal(got, want) {
		t.Errorf("the form has other values: %s", cmp.Diff(want, got))
	}
	if w.api.path != "" {
		t.Error("an advert was searched for")
	}
}

// The buttons of chips change the form, and nothing is searched.
func TestAdvert_ChipsChangeTheForm(t *testing.T) {
	w := newWorld(t)
	b, _ := player(t, w)
	w.matcher.advert = shopAdvert()
	form := []string{
		"description", "A shop", "required_skills", "React, Vue", "countries", "AT, DE", "budget_high", "5000",
	}
	for set, want := range map[string][2]string{
		"required_skills=React":             {"required_skills", "React"},
		"countries=AT":                      {"countries", "AT"},
		"budget_high=&budget_low=":          {"budget_high", ""},
		"exclude_skills=WordPress":          {"exclude_skills", "WordPress"},
		"key=other&description=x&nothing=1": {"required_skills", "React, Vue"},
		"%zz":                               {"required_skills", "React, Vue"},
	} {
		a := b.post("/dashboard/playground/form", append(form, "set", set)...).expect(t, http.StatusOK, "Find with these")
		if got := fieldsOf(a).Get(want[0]); got != want[1] {
			t.Errorf("%s: %s is %q, want %q", set, want[0], got, want[1])
		}
		if !strings.Contains(a.body, ">A shop</textarea>") {
			t.Errorf("%s: the description is gone", set)
		}
	}
	if w.api.path != "" {
		t.Error("a chip searched")
	}
}

func TestAdvert_Files(t *testing.T) {
	w := newWorld(t)
	b, _ := player(t, w)
	w.matcher.file = resume.Text{Text: "From a file", Omitted: 1200}
	b.sendAdvert("", "advert.pdf", "%PDF").expect(t, http.StatusOK, "From a file",
		"The last 1,200 of the advert were left out.", "Nothing but the description.")

	b.sendAdvert("also pasted", "advert.pdf", "%PDF").expect(t, http.StatusUnprocessableEntity,
		"Paste the advert or choose a file, not both.", "also pasted")
	b.sendAdvert("", "large.pdf", strings.Repeat("x", resume.MaxFile+1)).expect(t, http.StatusUnprocessableEntity,
		"The file is larger than 10 MiB.")
	b.sendAdvert(" \r\n ", "", "").expect(t, http.StatusUnprocessableEntity, "Paste the advert, or choose a file.")

	w.matcher.err = &matching.Error{Code: resume.CodeNoText, Message: "The document has no readable words."}
	b.sendAdvert("", "picture.pdf", "%PDF").expect(t, http.StatusUnprocessableEntity,
		"The document has no readable words.")
	w.matcher.err = &matching.Error{Code: matching.CodeOverloaded, Message: "The server is reading too many documents."}
	b.sendAdvert("", "busy.pdf", "%PDF").expect(t, http.StatusUnprocessableEntity, "The server is reading too many")
}

// Long and hostile adverts are read, cut, or rejected with a reason.
func TestAdvert_HostileText(t *testing.T) {
	w := newWorld(t)
	b, _ := player(t, w)
	a := b.sendAdvert(strings.Repeat("щ", 20_010), "", "").expect(t, http.StatusOK,
		"The last 10 of the advert were left out.")
	if n := strings.Count(a.body, "щ"); n != 20_000 {
		t.Errorf("%d characters of 20,010 are left", n)
	}
	b.sendAdvert(strings.Repeat("x", 520<<10), "", "").expect(t, http.StatusUnprocessableEntity, "too long")
	b.sendAdvert("a\x00b", "", "").expect(t, http.StatusBadRequest)
	b.sendAdvert("\xff\xfe", "", "").expect(t, http.StatusBadRequest)
	b.post("/dashboard/playground/advert", "advert", "x").expect(t, http.StatusUnsupportedMediaType)

	if a := w.browser().sendAdvert("x", "", ""); a.status != http.StatusSeeOther {
		t.Errorf("status %d without a sign-in", a.status)
	}
}

// Amounts and times are accepted as people write them, and sent as the API takes them.
func TestMatchPlayground_AcceptsWrittenAmounts(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	brief := []string{"key", key.ID, "job_title", "Developer"}
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{[]string{"budget_high", "3,000"}, `"budget_range":[0,3000]`},
		{[]string{"budget_high", "3.000 - 5.000 €"}, `"budget_range":[3000,5000]`},
		{[]string{"budget_low", "$20-30/h"}, `"budget_range":[20,30],"job_title":"Developer","budget_type":"hourly"`},
		{[]string{"budget_high", "10 EUR/h"}, `"budget_type":"hourly"`},
		{[]string{"budget_high", "10 EUR/h"}, `"currency":"EUR"`},
		{[]string{"timeline", "two weeks"}, `"timeline":14`},
		{[]string{"timeline", "3 Monate"}, `"timeline":90`},
		{[]string{"effort_hours", "5", "effort_unit", "days"}, `"effort_hours":40`},
		{[]string{"effort_hours", "3 days"}, `"effort_hours":24`},
		{[]string{"max_hourly_rate", "1,200/h"}, `"max_hourly_rate":1200`},
		{[]string{"new_effort_hours", "2 days", "effort_hours", "3"}, `"effort_hours":16`},
		{[]string{"set", "budget_type=hourly&exclude_skills=PHP", "budget_high", "9"}, `"exclude_skills":["PHP"]`},
	} {
		b.post("/dashboard/playground", append(brief, c.fields...)...).expect(t, http.StatusSeeOther)
		request := strings.Join(strings.Fields(w.api.request), "")
		if !strings.Contains(request, c.want) {
			t.Errorf("with %v, the API got %s, want %s", c.fields, request, c.want)
		}
	}

	b.post("/dashboard/playground", append(brief, "effort_hours", "5", "effort_unit", "unknown")...)
	if strings.Contains(w.api.request, "effort_hours") {
		t.Error("a size was sent that the client doesn't know")
	}
}

func TestMatchPlayground_RejectsWrittenAmounts(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	brief := []string{"key", key.ID, "job_title", "Developer"}
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{[]string{"budget_high", "600 EUR per day"}, "Enter the amount per hour or for the whole project, not per day."},
		{[]string{"budget_high", "10/h", "budget_type", "fixed"}, "The amount is per hour, but the budget is for the whole"},
		{[]string{"budget_high", "10 EUR", "currency", "CHF"}, "The amount is in EUR, but the currency is CHF"},
		{[]string{"budget_low", "10 EUR", "budget_high", "20 CHF"}, "The amount is in CHF, but the currency is EUR"},
		{[]string{"max_hourly_rate", "600/day"}, "Enter the amount per hour, not per day."},
		{[]string{"timeline", "soon"}, "Enter a time such as 10 days or two weeks."},
		{[]string{"effort_hours", "a lot"}, "Enter a size such as 40 hours or 5 days."},
	} {
		b.post("/dashboard/playground", append(brief, c.fields...)...).expect(t, http.StatusUnprocessableEntity, c.want)
	}
}

// Each assumption of an answer is a chip whose buttons change the brief and match again.
func TestMatchPlayground_ChangesAssumptions(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"status":"success","matches":[],"considered":0,"derived_skills":["Go","React"],
		"nice_to_have_skills":["Figma"],"excluded_skills":["PHP"],"unknown_skills":[],"skipped":[],
		"budget":{"type":"fixed","assumed":true,"message":"read as the price; send budget_type to say which it is"},
		"effort":{"low":20,"typical":62,"high":200,"from":"text"}}`
	a := b.play("/dashboard/playground", "key", key.ID, "description", "A shop", "budget_high", "900")
	sets := map[string]bool{}
	for _, m := range regexp.MustCompile(`name="set"\s+value="([^"]*)"`).FindAllStringSubmatch(a.body, -1) {
		values, err := url.ParseQuery(html.UnescapeString(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		sets[values.Encode()] = true
	}

	for _, want := range []url.Values{
		{"required_skills": {"React"}, "nice_to_have_skills": {"Figma"}},       // without Go
		{"required_skills": {"React"}, "nice_to_have_skills": {"Figma, Go"}},   // Go is nice to have
		{"required_skills": {"Go, React, Figma"}, "nice_to_have_skills": {""}}, // Figma is required
		{"required_skills": {"Go, React"}, "nice_to_have_skills": {""}},        // without Figma
		{"exclude_skills": {"PHP"}},                                            // exclude people with PHP
		{"required_skills": {"Go, React, PHP"}, "nice_to_have_skills": {"Figma"}, "exclude_skills": {""}},
		{"required_skills": {"Go, React"}, "nice_to_have_skills": {"Figma, PHP"}, "exclude_skills": {""}},
		{"budget_type": {"hourly"}},
	} {
		if !sets[want.Encode()] {
			t.Errorf("no button sets %v", want)
		}
	}
	if !strings.Contains(a.body, `name="new_effort_hours" form="match"`) ||
		!strings.Contains(a.body, `name="new_start_date" type="date" form="match"`) {
		t.Error("size and start can't be changed")
	}
	if shown, _, _ := strings.Cut(a.text(), "API request"); strings.Contains(shown, "send budget_type") {
		t.Error("the page speaks of fields of the API")
	}
}
