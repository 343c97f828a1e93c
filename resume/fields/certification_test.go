package fields

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/resume"
)

// The sections are in the notation of testdata/resumes/README.md.
func TestCertifications(t *testing.T) {
	x := newExtractor(t)
	both := []resume.Certification{
		{Name: "Crane Operator in the Harbor", Issuer: "Dock Guild", Date: "2019"},
		{Name: "Safe Diver", Issuer: "Reef School", Date: "2021"},
	}
	for _, c := range []struct {
		name, text string
		want       []resume.Certification
	}{
		{"commas", "Crane Operator in the Harbor, Dock Guild, 2019\nSafe Diver, Reef School, 2021", both},
		{"brackets", "- Crane Operator in the Harbor (Dock Guild), 2019\n- Safe Diver (Reef School), 2021", both},
		{"cells", "Crane Operator in the Harbor    Dock Guild    2019\nSafe Diver    Reef School    2021", both},
		{"a preposition", "Crane Operator in the Harbor by Dock Guild (2019)\nSafe Diver by Reef School (2021)", both},
		{"the issuer below", "Crane Operator in the Harbor    2019\nDock Guild\nSafe Diver    2021\nReef School", both},
		{"the date alone, last", "Crane Operator in the Harbor\nDock Guild\n2019\nSafe Diver\nReef School\n2021", both},
		{"the date alone, second", "Crane Operator in the Harbor\n2019\nDock Guild\nSafe Diver\n2021\nReef School", both},
		{
			"the issuer less prominent", "{12} Crane Operator in the Harbor\nDock Guild\n{12} Safe Diver\nReef School\n\n" +
				"{14 bold} Summary\nLifts what others can't lift, dives where others don't dive, and writes about both.",
			[]resume.Certification{
				{Name: "Crane Operator in the Harbor", Issuer: "Dock Guild"}, {Name: "Safe Diver", Issuer: "Reef School"},
			},
		},
		{"a level after a dash", "Certified Diver – Master, Reef School", []resume.Certification{
			{Name: "Certified Diver – Master", Issuer: "Reef School"},
		}},
		{"a legal form is no issuer", "Acme Certified Diver, Inc.", []resume.Certification{
			{Name: "Acme Certified Diver, Inc."},
		}},
		{"a narrow column", "Certified Operator\nof Tower Cranes", []resume.Certification{
			{Name: "Certified Operator of Tower Cranes"},
		}},
		{"a comma at the end of a line", "Crane Operator in the Harbor,\nDock Guild, 2019", both[:1]},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := extract(t, x, parseDocument("{20 bold} Marlow Quillfeather\n\n{14 bold} Certifications\n"+c.text))
			if diff := cmp.Diff(c.want, r.Certifications); diff != "" {
				t.Errorf("certifications (-want +got):\n%s", diff)
			}
		})
	}
}
