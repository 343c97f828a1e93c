package fields

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume/resumetest"
)

// The sections are in the notation of testdata/resumes/README.md.
func TestProjects(t *testing.T) {
	x := newExtractor(t)
	both := "Tidepool/https://tidepool.example.com/2019-2020/A scheduler for boats.; " +
		"Gullwing//2021/Counts gulls on photographs."
	for name, c := range map[string]struct{ text, want string }{
		"names stand out": {
			"{bold} Tidepool    2019 – 2020\nhttps://tidepool.example.com\nA scheduler for boats.\n" +
				"{bold} Gullwing    2021\nCounts gulls on photographs.", both,
		},
		"list items below": {
			"Tidepool (https://tidepool.example.com), 2019 – 2020\n- A scheduler for boats.\nGullwing, 2021\n" +
				"- Counts gulls on photographs.", both,
		},
		"one list item each": {
			"- Tidepool: A scheduler for boats.\n- Gullwing – Counts gulls on photographs.",
			"Tidepool///A scheduler for boats.; Gullwing///Counts gulls on photographs.",
		},
		"paragraphs": {
			"Tidepool\nA scheduler for boats that takes the tides and the holidays of the crew into account.\n\n" +
				"Gullwing\n2021\nCounts gulls on photographs.",
			"Tidepool///A scheduler for boats that takes the tides and the holidays of the crew into account.; " +
				"Gullwing//2021/Counts gulls on photographs.",
		},
		"a link": {
			"{bold} Tidepool\n-> https://tidepool.example.com\nA scheduler for boats.",
			"Tidepool/https://tidepool.example.com//A scheduler for boats.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc := resumetest.ParseDocument("{20 bold} Ada Quill\n\n{14 bold} Projects\n" + c.text +
				"\n\n{14 bold} Summary\nBuilds small things that last, and writes about them at length, for those who ask.")
			var got []string
			for _, p := range extract(t, x, doc).Projects {
				when := strings.Trim(p.Start+"-"+p.End, "-")
				got = append(got, strings.Join([]string{p.Name, p.URL, when, p.Description}, "/"))
			}

			if strings.Join(got, "; ") != c.want {
				t.Errorf("projects are\n%q, want\n%q", strings.Join(got, "; "), c.want)
			}
		})
	}
}

func TestPublications(t *testing.T) {
	x := newExtractor(t)
	both := "How lichens count | Annals of Slow Growth | 2018; Ferns in court | Proceedings of the Fern Symposium | 2016"
	for name, c := range map[string]struct{ text, want string }{
		"APA": {
			"[1] Quill, A. (2018). How lichens count. Annals of Slow Growth, 7(2), 1–19.\n" +
				"[2] Reed, T. & Quill, A. (2016). Ferns in court. Proceedings of the Fern Symposium, 88–97.", both,
		},
		"quotes": {
			"- A. Quill, \"How lichens count,\" Annals of Slow Growth, vol. 7, 2018.\n" +
				"- T. Reed, A. Quill, “Ferns in court”, in Proceedings of the Fern Symposium, pp. 88–97, 2016.", both,
		},
		"broken lines": {
			"Quill, A. and Ashdown, P. (2018). How lichens\ncount. Annals of Slow Growth 7.\n\n" +
				"Reed, T. (2016). Ferns in court. Proceedings of the\nFern Symposium.", both,
		},
		"the title above": {
			"{bold} How lichens count\nPublished by Annals of Slow Growth\nJanuary 2018\n" +
				"{bold} Ferns in court\nPublished by Proceedings of the Fern Symposium\n2016",
			strings.Replace(both, "2018", "2018-01", 1),
		},
		"dashes": {
			"- How lichens count – Annals of Slow Growth, 2018\n" +
				"- Ferns in court – Proceedings of the Fern Symposium, 2016", both,
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc := resumetest.ParseDocument("{20 bold} Ada Quill\n\n{14 bold} Publications\n" + c.text +
				"\n\n{14 bold} Summary\nBuilds small things that last, and writes about them at length, for those who ask.")
			var got []string
			for _, p := range extract(t, x, doc).Publications {
				got = append(got, p.Title+" | "+p.Publisher+" | "+p.Date)
			}

			if strings.Join(got, "; ") != c.want {
				t.Errorf("publications are\n%q, want\n%q", strings.Join(got, "; "), c.want)
			}
		})
	}
}

func TestVolunteering(t *testing.T) {
	text := "{20 bold} Ada Quill\n\n{14 bold} Experience\nEngineer, Acme Ltd    2019 – 2021\n\n" +
		"{14 bold} Service to the Community\nVolunteer, Eastmere Library    2017 – 2019\n- Read to children.\n\n" +
		"{14 bold} Skills\nWelding"
	r := extract(t, newExtractor(t), resumetest.ParseDocument(text))
	if len(r.Experience) != 1 || len(r.Volunteering) != 1 {
		t.Fatalf("%d positions and %d volunteering, want one of each", len(r.Experience), len(r.Volunteering))
	}
	if v := r.Volunteering[0]; v.Title != "Volunteer" || v.Company != "Eastmere Library" || v.Start != "2017" ||
		v.Description != "Read to children." {
		t.Errorf("volunteering is %+v", v)
	}
}
