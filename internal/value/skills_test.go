package value

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSkills(t *testing.T) {
	tests := []struct {
		name, cell string
		want       []string
	}{
		{"commas", "Logo Design, Photoshop,Illustration", []string{"Logo Design", "Photoshop", "Illustration"}},
		{"bars", "Graphic Design|Logo, Label & Web|3D", []string{"Graphic Design", "Logo, Label & Web", "3D"}},
		{"semicolons", "C++;C#; .NET", []string{"C++", "C#", ".NET"}},
		{"lines and bullets", "• Go\n• Rust, C\n- SQL", []string{"Go", "Rust", "C", "SQL"}},
		{"middle dots", "Go · Rust", []string{"Go", "Rust"}},
		{"spaced slashes", "HTML / CSS / UI/UX", []string{"HTML", "CSS", "UI/UX"}},
		{"slashes inside", "UI/UX, A/B testing, CI/CD, C/C++", []string{"UI/UX", "A/B testing", "CI/CD", "C/C++"}},
		{"slash between commas", "User Interface / IA, PHP", []string{"User Interface / IA", "PHP"}},
		{"brackets", "Adobe (Photoshop, Illustrator), Figma", []string{"Adobe (Photoshop, Illustrator)", "Figma"}},
		{"bar in brackets", "Mobile (Flutter|Kotlin), Web", []string{"Mobile (Flutter", "Kotlin), Web"}},
		{"open bracket", "Web (React, SQL", []string{"Web (React", "SQL"}},
		{"braces", "Optimization {SEO}", []string{"Optimization {SEO}"}},
		{"hyphens", "T-SQL, e-commerce", []string{"T-SQL", "e-commerce"}},
		{"JSON", `["Go", "Caf\u00e9", ""]`, []string{"Go", "Café"}},
		{
			"JSON verbatim", `["\"Quoted\"", "a,b", "(", "{Go}", "'tis", "[x]"]`,
			[]string{`"Quoted"`, "a,b", "(", "{Go}", "'tis", "[x]"},
		},
		{"JSON with markup", `["R&amp;D", " <b>Go</b> ", "N/A"]`, []string{"R&D", "Go"}},
		{"JSON objects", `[{"id": 1, "name": "Go"}, {"name": "Rust"}]`, []string{"Go", "Rust"}},
		{"Python", `['Copy &amp; Paste', "Bachelor's", 'It\'s', '', '']`, []string{"Copy & Paste", "Bachelor's", "It's"}},
		{"Python None", `['Go', None, 3]`, []string{"Go"}},
		{"bare list", "[Go, Rust]", []string{"Go", "Rust"}},
		{"empty list", "[]", nil},
		{"broken list", "['Go', 'Rust", []string{"['Go", "Rust"}},
		{"entities", "Copy &amp; Paste, R&amp;D", []string{"Copy & Paste", "R&D"}},
		{"different case", "Python, python, PYTHON, Go", []string{"Python", "Go"}},
		{"unknown", "N/A", nil},
		{"unknown items", "Go, N/A, -, Rust", []string{"Go", "Rust"}},
		{"one skill", "Data Entry", []string{"Data Entry"}},
		{"glued", "Logo DesignPhotoshopIllustration", []string{"Logo Design", "Photoshop", "Illustration"}},
		{"glued acronyms", "HTMLCSSJavaScript", []string{"HTML", "CSS", "JavaScript"}},
		{"glued with inner capitals", "WordPressMySQLiOSPhotoShop", []string{"WordPress", "MySQL", "iOS", "PhotoShop"}},
		{
			"glued names of two words", "Adobe PhotoShopAdobe IllustratorFigma",
			[]string{"Adobe PhotoShop", "Adobe Illustrator", "Figma"},
		},
		{"inner capitals", "JavaScript", []string{"JavaScript"}},
		{"compound", "BookKeepingPro.io", []string{"BookKeepingPro.io"}},
		{"glued words", "PhotoshopIllustrationFigmaBranding", []string{"Photoshop", "Illustration", "Figma", "Branding"}},
		{"one place to cut", "GitHub Actions McDonald", []string{"GitHub Actions McDonald"}},
		{"sentence", "React developer with NodeJs and WordPress", []string{"React developer with NodeJs and WordPress"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, remark := Skills(test.cell, false)
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("remark %q (-want +got)\n%s", remark, diff)
			}
		})
	}
}

func TestSkills_Slugs(t *testing.T) {
	if got, _ := Skills("mobile-app-development", true); got[0] != "mobile app development" {
		t.Errorf("got %q", got)
	}
}

func TestSkills_Remarks(t *testing.T) {
	many := make([]string, MaxSkills+1)
	for i := range many {
		many[i] = fmt.Sprintf("skill %d", i)
	}
	tests := []struct {
		name, cell string
		count      int
		remark     string
	}{
		{"number", "2", 0, remarkNotSkill},
		{"too long", strings.Repeat("x", MaxSkill+1), 1, remarkLongSkill},
		{"too many", strings.Join(many, ","), MaxSkills, remarkManySkills},
	}
	for _, test := range tests {
		if got, remark := Skills(test.cell, false); len(got) != test.count || remark != test.remark {
			t.Errorf("%s: %d skills, %q, want %d, %q", test.name, len(got), remark, test.count, test.remark)
		}
	}
}

func TestIsSlug(t *testing.T) {
	for cell, want := range map[string]bool{
		"mobile-app-development": true, "react-js": true, "javascript": false, "T-SQL": false, "a--b": false, "-a": false,
		"a-": false, "a b-c": false, "": false,
	} {
		if got := IsSlug(cell); got != want {
			t.Errorf("IsSlug(%q) = %t", cell, got)
		}
	}
}
