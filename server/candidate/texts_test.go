package candidate

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/interview"
)

var placeholder = regexp.MustCompile(`\{[a-z]*\}`)

// All languages have the same texts with the same placeholders.
func TestTexts_SameInAllLanguages(t *testing.T) {
	all := loadTexts()
	languages := interview.PageLanguages()
	slices.Sort(languages)

	if diff := cmp.Diff(languages, slices.Sorted(maps.Keys(all))); diff != "" {
		t.Errorf("-languages +files:\n%s", diff)
	}

	shape := func(t texts) map[string]string {
		shapes := map[string]string{}
		for key, text := range t {
			found := placeholder.FindAllString(text, -1)
			slices.Sort(found)
			shapes[key] = strings.Join(slices.Compact(found), " ")
		}

		return shapes
	}
	for language, texts := range all {
		if diff := cmp.Diff(shape(all["en"]), shape(texts)); diff != "" {
			t.Errorf("%s: -en +%s\n%s", language, language, diff)
		}
	}
}

// Every fault has its texts, and every text is used.
func TestTexts_Used(t *testing.T) {
	en := loadTexts()["en"]
	names := []string{}
	for r := range refusals() {
		if r != interview.RefusedEmpty { // always shown on the page with the form
			names = append(names, string(r))
		}
	}

	for _, f := range []*fault{
		errMissing, errForeign, errBad, errSlow, errTooLarge, errLimited, errSuspended, errDown,
	} {
		names = append(names, f.name)
	}

	used := map[string]bool{}
	for _, name := range names {
		for _, part := range []string{"_title", "_text", "_next"} {
			used[name+part] = true
			if en[name+part] == "" {
				t.Errorf("no text %s", name+part)
			}
		}
	}

	var sources strings.Builder
	for _, content := range embedded("templates/*.html") {
		sources.Write(content)
	}

	for _, key := range regexp.MustCompile(`\.T "([a-z_0-9]+)"`).FindAllStringSubmatch(sources.String(), -1) {
		used[key[1]] = true
		if en[key[1]] == "" {
			t.Errorf("no text %s, which a template uses", key[1])
		}
	}

	inCode := []string{
		"open_title", "intro_title", "done_title", "review_title", "consent_needed", "toolong_error", "confirm_needed",
		"empty_error", "anyone",
	}
	for _, key := range inCode {
		used[key] = true
	}

	for key := range en {
		if !used[key] {
			t.Errorf("the text %s is not used", key)
		}
	}
}

func TestParseTexts(t *testing.T) {
	got, err := parseTexts("a = b\n  c\nd = {n} e = f\n")
	if diff := cmp.Diff(texts{"a": "b c", "d": "{n} e = f"}, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	for _, content := range []string{"a\n", "a = b\na = c\n", "  a\n", "a = \n"} {
		if got, err := parseTexts(content); err == nil {
			t.Errorf("%q gives %v", content, got)
		}
	}
}
