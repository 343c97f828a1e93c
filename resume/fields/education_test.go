package fields

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume/resumetest"
)

// The sections are in the notation of testdata/resumes/README.md.
func TestDegrees(t *testing.T) {
	x := newExtractor(t)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"dates", "BSc in Physics    2013 – 2016\nEastmere College", []string{"BSc, Eastmere College, 2013–2016"}},
		{
			"labels", "Zeitraum: 2013 – 2016\nHochschule: Gymnasium am Deich\nAbschluss: Abitur\n\n" +
				"Zeitraum: 2010\nHochschule: Akademie für Gestaltung\nAbschluss: Diplom\nStudiengang: Informatik",
			[]string{"Abitur, Gymnasium am Deich, 2013–2016", "Diplom, Akademie für Gestaltung, –2010"},
		},
		{"one date is the end", "BSc in Physics    2016\nEastmere College", []string{"BSc, Eastmere College, –2016"}},
		{"a date within", "BSc : Physics , 2016 University of Eastmere", []string{"BSc, University of Eastmere, –2016"}},
		{"a broken degree", "Eastmere College    2016\nMaster of Business\nAdministration", []string{
			"Master of Business Administration, Eastmere College, –2016",
		}},
		{"a diploma is no school", "Eastmere High School\nHigh School Diploma", []string{
			"High School Diploma, Eastmere High School, –",
		}},
		{"no dates", "University of Eastmere\nBSc in Physics\nWestmere College\nA levels", []string{
			"BSc, University of Eastmere, –", "A levels, Westmere College, –",
		}},
		{
			"two degrees below a school",
			"{bold} Univale\nMSc, Information Systems    2014 – 2016\nBSc, Informatics    2010 – 2014\n" +
				"{bold} Harbor College\nCertificate in Bookkeeping    2009",
			[]string{"MSc, Univale, 2014–2016", "BSc, Univale, 2010–2014", "Certificate, Harbor College, –2009"},
		},
		{
			"two degrees below a school with dates of its own",
			"{bold} Univale, Leeds    2010 – 2016\nMSc, Information Systems    2014 – 2016\n" +
				"BSc, Informatics    2010 – 2014\n{bold} Hill Park School    2004 – 2010\nA-Levels    2010",
			[]string{"MSc, Univale, 2014–2016", "BSc, Univale, 2010–2014", "A-Levels, Hill Park School, –2010"},
		},
		{
			"two degrees above a school",
			"MSc Statistics, 2014 – 2016\nBSc Mathematics, 2010 – 2014\nLindow University, Leeds",
			[]string{"MSc, Lindow University, 2014–2016", "BSc, Lindow University, 2010–2014"},
		},
		{
			"two degrees below a school, no dates",
			"Lindow University\nMSc Statistics\nBSc Mathematics\nHarbor College\nDiploma in Bookkeeping",
			[]string{"MSc, Lindow University, –", "BSc, Lindow University, –", "Diploma, Harbor College, –"},
		},
		{
			"list items without dates",
			"- MSc Statistics, Lindow University\n- BSc Mathematics, Harbor College\n" +
				"- B.Com: Completed BCom from Lindow College",
			[]string{"MSc, Lindow University, –", "BSc, Harbor College, –", "B.Com, Lindow College, –"},
		},
		{
			"degrees in sentences that end with a town",
			"- M.B.A: Completed MBA from Lindow College of Business Management at Eastmere.\n" +
				"- B.COM: Completed B Com from Lakeside Degree College at Westmere\n" +
				"- S.S.C: Completed 10th from Harbor Grammar High School",
			[]string{
				"M.B.A, Lindow College of Business Management, –", "B.COM, Lakeside Degree College, –",
				"S.S.C, Harbor Grammar High School, –",
			},
		},
		{
			"a school whose name starts with a town",
			"BSc Physics, Lindow Institute of Technology    2010 – 2013\nKarlsruhe Institute of Technology    2008 – 2010\n" +
				"MSc Mathematics",
			[]string{"BSc, Lindow Institute of Technology, 2010–2013", "MSc, Karlsruhe Institute of Technology, 2008–2010"},
		},
		{
			"unknown names above degrees and their fields",
			"{11 bold} NorthX\nBSc, Silviculture | Jan 2013 – June 2014\n{11 bold} Quorn\nMSc, Datafication | 2016 – 2020",
			[]string{"BSc, NorthX, 2013-01–2014-06", "MSc, Quorn, 2016–2020"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := extract(t, x, resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n\n{14 bold} Education\n"+c.text))
			var got []string
			for _, d := range r.Education {
				got = append(got, d.Degree+", "+d.Institution+", "+d.Start+"–"+d.End)
			}

			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("degrees are %q, want %q", got, c.want)
			}
		})
	}
}

func TestDegreesWithoutActivities(t *testing.T) {
	x := newExtractor(t)
	for _, line := range []string{
		"Poster, Graph Rewriting, SIGX 2019, Lyon    12/2019",
		"Member of the student council, University of Eastmere    2011 – 2012",
		"Program committee, Harbor School of Graphs    2018 – 2020",
		"From 2010 to 2012 I lived at the university in Porto.",
	} {
		t.Run(line, func(t *testing.T) {
			r := extract(t, x, resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n\n{14 bold} Education\n"+
				"{bold} BSc Physics, University of Eastmere    2010 – 2013\n"+line))
			if len(r.Education) != 1 || r.Education[0].Institution != "University of Eastmere" {
				t.Errorf("degrees are %+v, want one of the University of Eastmere", r.Education)
			}
		})
	}
}
