package taxonomy_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/taxonomy"
)

func TestResolveAll(t *testing.T) {
	tax := load(t)
	tests := []struct{ name, want string }{
		{"React", "react"},
		{"  Underwater   Basketry ", "~underwater basketry"},
		{"", "~"},
		{"!!!", "~!!!"},

		{"iOS/Android", "ios-development android-development"},
		{"UX/UI", "ui-ux-design"},
		{"HTML/CSS/JS", "html css javascript"},
		{"HTML, CSS", "html css"},
		{"PHP & MySQL", "php mysql"},
		{"Premiere / After Effects", "adobe-premiere-pro adobe-after-effects"},
		{"AI (Adobe Illustrator)", "adobe-illustrator"},
		{"React (Next.js)", "react next-js"},
		{"Adobe Creative Suite (Photoshop, Illustrator)", "adobe-creative-suite adobe-photoshop adobe-illustrator"},
		{"Search Engine Optimization (SEO)", "seo"},
		{"Excel (advanced)", "microsoft-excel"},
		{"C/C++", "c c-plus-plus"},
		{"R/Python", "r python"},
		{"AI/ML", "artificial-intelligence machine-learning"},
		{"2D/3D animation", "2d-animation 3d-animation"},
		{"Graphic & web design", "graphic-design web-design"},
		{"Video and photo editing", "video-editing photo-editing"},
		{"Facebook & Instagram ads", "facebook-ads instagram-ads"},
		{"Google Ads/Analytics", "google-ads google-analytics"},
		{"Legal and Veterinary Translator", "legal-translation veterinary-medicine translation"},
		{"Fashion and Product Photographer", "fashion-photography product-photography"},
		{"Italian Qualified Translator", "italian-translation"},
		{"Analytical chemist with 13", "chemistry"},
		{"WordPress with Elementor", "wordpress elementor"},
		{"Copywriting + SEO", "copywriting seo"},
		{"Editing and proofreading", "editing proofreading"},
		{"HTML and underwater basketry", "html ~underwater basketry"},
		{"Odoo 17 migration in Python", "odoo python"},

		{"CI/CD", "ci-cd"},
		{"TCP/IP", "tcp-ip"},
		{"A/B testing", "a-b-testing"},
		{"PL/SQL", "pl-sql"},
		{"S/4HANA", "sap-s-4hana"},
		{"R&D", "research"},
		{"M&A", "mergers-and-acquisitions"},
		{"24/7 support", "~24 7 support"},
		{"I/O", "~i o"},
		{"P&L", "~p l"},
		{"CI/CD & Docker", "ci-cd docker"},

		{"EN-PT translation", "portuguese-translation"},
		{"PT-BR", "portuguese"},
		{"PT-BR translator", "portuguese-translation"},
		{"English to Spanish", "spanish-translation"},
		{"EN>DE", "german-translation"},
		{"ES<>EN", "spanish-translation"},
		{"Eng-Hin", "hindi-translation"},
		{"Portuguese (Brazil) translator", "portuguese-translation"},
		{"traducción inglés-español", "spanish-translation"},
		{"traduction anglais vers français", "french-translation"},
		{"traducción de inglés a español", "spanish-translation"},
		{"Übersetzung Englisch-Deutsch", "german-translation"},
		{"Tradução do inglês para o português", "portuguese-translation"},
		{"German to French translation", "german-translation french-translation"},
		{"English (US) translator", "english-translation"},
		{"IT/HR", "information-technology human-resources"},
		{"IT services", "information-technology"},

		{"community mgmt", "community-management"},
		{"social media mgmt.", "social-media-management"},
		{"software eng.", "software-development"},
		{"web dev", "web-development"},
		{"mech eng", "mechanical-engineering"},
	}
	for _, tt := range tests {
		var ids []string
		for _, r := range tax.ResolveAll(tt.name) {
			ids = append(ids, r.ID)
		}

		if diff := cmp.Diff(tt.want, strings.Join(ids, " ")); diff != "" {
			t.Errorf("ResolveAll(%q) (-want +got):\n%s", tt.name, diff)
		}
	}
}

// The other names of a list decide what an abbreviation means.
func TestResolveAll_List(t *testing.T) {
	tax := load(t)
	tests := []struct {
		list []string
		want string // of the first name
	}{
		{[]string{"CV", "ML", "ALPR"}, "computer-vision"},
		{[]string{"CV", "Cover Letter"}, "resume-writing"},
		{[]string{"AI", "PSD", "EPS"}, "adobe-illustrator"},
		{[]string{"AI", "Python"}, "artificial-intelligence"},
		{[]string{"AR", "AP"}, "accounts-receivable"},
		{[]string{"AR", "VR"}, "augmented-reality"},
		{[]string{"ORM", "SEO"}, "online-reputation-management"},
		{[]string{"ORM", "Django"}, "orm"},
		{[]string{"sourcing", "HR"}, "recruiting"},
		{[]string{"sourcing", "Alibaba"}, "procurement"},
	}
	for _, tt := range tests {
		if got := tax.ResolveAll(tt.list[0], tt.list...); len(got) != 1 || got[0].ID != tt.want {
			t.Errorf("ResolveAll of the first name in %q = %+v, want %q", tt.list, got, tt.want)
		}
	}
}

// The name of a skill is never split.
func TestResolveAll_NeverSplitsSkillNames(t *testing.T) {
	tax := load(t)
	for _, s := range skills(t, tax) {
		for _, name := range append([]string{s.Name}, s.Synonyms...) {
			want := []taxonomy.Resolution{{ID: s.ID, Name: s.Name, Known: true}}
			if diff := cmp.Diff(want, tax.ResolveAll(name)); diff != "" {
				t.Errorf("ResolveAll(%q) (-want +got):\n%s", name, diff)
			}
		}
	}
}

func FuzzResolveAll(f *testing.F) {
	tax := load(f)
	for _, seed := range []string{
		"HTML/CSS", "AI (Adobe Illustrator)", "PT-BR", "(/)", "a & b and and ", "2D/3D animation", "\xff/(", "İ/ﷺ + x",
		"B(R(\x00\x00)",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, name string) {
		all := tax.ResolveAll(name)
		if len(all) == 0 {
			t.Fatalf("ResolveAll(%q) is empty", name)
		}

		seen := make(map[string]bool)
		for _, r := range all {
			if _, ok := tax.Skill(r.ID); ok != r.Known || seen[r.ID] {
				t.Errorf("ResolveAll(%q) = %+v: %q is a duplicate, or Skill(%q) = %t contradicts Known", name, all, r.ID, r.ID, ok)
			}
			seen[r.ID] = true
		}

		// A name without separators means one skill, the same as for Resolve.
		separated := strings.ContainsFunc(name, func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r)
		})
		if r := tax.Resolve(name); r.Known && !separated && (len(all) != 1 || !seen[r.ID]) {
			t.Errorf("ResolveAll(%q) = %+v, but Resolve returns %+v", name, all, r)
		}
	})
}
