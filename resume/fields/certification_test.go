package fields

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/resumetest"
)

var ignoreConfidence = cmpopts.IgnoreFields(resume.Certification{}, "Confidence")

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
		{
			"the issuer above", "Dock Guild Association\nCertified Crane Operator, 2019\nReef School\nDiving Certificate, 2021",
			[]resume.Certification{
				{Name: "Certified Crane Operator", Issuer: "Dock Guild Association", Date: "2019"},
				{Name: "Diving Certificate", Issuer: "Reef School", Date: "2021"},
			},
		},
		{
			"the issuer above, in bold", "{11 bold} Society of Divers (SOD)\nCertified Diver 2019 - present\n" +
				"{11 bold} Crane Certification Corporation (CCC)\nTower Crane Certification 2021 - present",
			[]resume.Certification{
				{Name: "Certified Diver", Issuer: "Society of Divers (SOD)", Date: "2019"},
				{Name: "Tower Crane Certification", Issuer: "Crane Certification Corporation (CCC)", Date: "2021"},
			},
		},
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
		{
			"dates and numbers on their own lines",
			"Crane Operator in the Harbor\nDock Guild\nIssued Mar 2019 · Expires Mar 2024\nCredential ID AB-12\n" +
				"Show credential\n\n" +
				"Safe Diver\nReef School\nIssued Jan 2021 · No Expiration Date",
			[]resume.Certification{
				{Name: "Crane Operator in the Harbor", Issuer: "Dock Guild", Date: "2019-03"},
				{Name: "Safe Diver", Issuer: "Reef School", Date: "2021-01"},
			},
		},
		{
			"remarks after commas", "- Crane Operator License, Dock Guild, License No. 4482, Expires 06/2027",
			[]resume.Certification{{Name: "Crane Operator License", Issuer: "Dock Guild"}},
		},
		{"the date first", "2019    Crane Operator in the Harbor – Dock Guild\n2021    Safe Diver – Reef School", both},
		{"the issuer and the date in brackets", "Crane Operator in the Harbor (Dock Guild, 2019)\n" +
			"Safe Diver (Reef School, 2021)", both},
		{"a label for the issuer", "Crane Operator in the Harbor, 2019\nIssued by: Dock Guild", both[:1]},
		{"an abbreviation in brackets", "Safe Diver (SD)\nCrane Operator (CO)", []resume.Certification{
			{Name: "Safe Diver (SD)"}, {Name: "Crane Operator (CO)"},
		}},
		{"an issuer in capitals in brackets", "Safe Diver (REEF, 2021)", []resume.Certification{
			{Name: "Safe Diver", Issuer: "REEF", Date: "2021"},
		}},
		{"two pairs of brackets", "Safe Diver (SD) (Reef School, 2021)", []resume.Certification{
			{Name: "Safe Diver (SD)", Issuer: "Reef School", Date: "2021"},
		}},
		{
			"broken names above the date", "Certified Operator\nof Tower Cranes\nDock Guild\n2019\n" +
				"Advanced Life Support\n(ALS)\nReef School\n2021",
			[]resume.Certification{
				{Name: "Certified Operator of Tower Cranes", Issuer: "Dock Guild", Date: "2019"},
				{Name: "Advanced Life Support (ALS)", Issuer: "Reef School", Date: "2021"},
			},
		},
		{"one name per line", "Certified Diver\nCrane Operator\nCorporate Finance Essentials", []resume.Certification{
			{Name: "Certified Diver"}, {Name: "Crane Operator"}, {Name: "Corporate Finance Essentials"},
		}},
		{"a version in brackets", "Certified Diver\nExcel Expert (Excel 2016)\nFinance Essentials", []resume.Certification{
			{Name: "Certified Diver"}, {Name: "Excel Expert (Excel 2016)"}, {Name: "Finance Essentials"},
		}},
		{
			"a list item with a remark only", "- Safe Diver, Reef School\n- Issued Mar 2021 · Credential ID AB-1\n" +
				"- Crane Operator, Dock Guild",
			[]resume.Certification{
				{Name: "Safe Diver", Issuer: "Reef School", Date: "2021-03"}, {Name: "Crane Operator", Issuer: "Dock Guild"},
			},
		},
		{
			"a list in one line", "CISSP, PMP, AZ-900",
			[]resume.Certification{{Name: "CISSP"}, {Name: "PMP"}, {Name: "AZ-900"}},
		},
		{"a word that joins", "Certified in Logistics, Transport and Distribution", []resume.Certification{
			{Name: "Certified in Logistics, Transport and Distribution"},
		}},
		{"a page number", "Safe Diver, Reef School, 2021\n1", both[1:]},
		{"a comma at the end of a line", "Crane Operator in the Harbor,\nDock Guild, 2019", both[:1]},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := extract(t, x, resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n\n{14 bold} Certifications\n"+c.text))
			if diff := cmp.Diff(c.want, r.Certifications, ignoreConfidence); diff != "" {
				t.Errorf("certifications (-want +got):\n%s", diff)
			}
		})
	}
}

// Certifications among other things, in the notation of testdata/resumes/README.md.
func TestCertifications_Mixed(t *testing.T) {
	x := newExtractor(t)
	for name, c := range map[string]struct{ text, want string }{
		"with skills": {
			"{14 bold} Certifications & Skills\n- First Aid Certificate, Red Lantern, 2020\n- Python, SQL, Docker",
			"First Aid Certificate/Red Lantern/2020",
		},
		"a label": {"{14 bold} Skills\nPython, SQL\nCertifications: CISSP, PMP, AZ-900", "CISSP//; PMP//; AZ-900//"},
		"a label for something else": {
			"{14 bold} Certificates\nFirst Aid Certificate, Red Lantern, 2020\nLanguages: English, Dutch",
			"First Aid Certificate/Red Lantern/2020",
		},
		"a task": {"{14 bold} Experience\nNurse, Acme Hospital    2019 – 2021\n- Kept the certificates of the ward.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range extract(t, x, resumetest.ParseDocument("{20 bold} Ada Quill\n\n"+c.text)).Certifications {
				got = append(got, c.Name+"/"+c.Issuer+"/"+c.Date)
			}

			if strings.Join(got, "; ") != c.want {
				t.Errorf("certifications are %q, want %q", got, c.want)
			}
		})
	}
}

// The lines of a narrow column are broken where the next word no longer fits, and names are further apart than lines.
func TestCertifications_Sidebar(t *testing.T) {
	document := resume.Document{Pages: 1}
	y := 0.0
	for _, l := range []struct {
		text         string
		above, width float64 // points
	}{
		{"Certifications", 0, 75},
		{"Cranes in the Cloud, Boats", 16, 140},
		{"and Trade", 12, 45},
		{"Deep Dive: Building Your First", 16, 143},
		{"Submarine", 12, 48},
	} {
		y += l.above
		document.Lines = append(document.Lines, resume.Line{
			Text: l.text, Page: 1, Part: resume.Sidebar, Size: 10.5,
			Place: resume.Place{X: 22, Y: y, Width: l.width, Height: 12},
		})
	}

	r, err := newExtractor(t).Extract(t.Context(), document)
	if err != nil {
		t.Fatal(err)
	}

	want := []resume.Certification{
		{Name: "Cranes in the Cloud, Boats and Trade"}, {Name: "Deep Dive: Building Your First Submarine"},
	}
	if diff := cmp.Diff(want, r.Certifications, ignoreConfidence); diff != "" {
		t.Error(diff)
	}
}
