package htmlreport_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/htmlreport"
	"github.com/freelancer-matching/service/indexer/profile"
	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/internal/matching"
)

// evil is a text that would run if it were not escaped, and turns the text after it around.
const evil = `</td></title></style><script>alert(1)</script><img src=x onerror=alert(1)>"'` +
	"\u202e\x00{{.}}javascript:alert(1)"

// hostile returns a page with evil texts wherever files can put them.
func hostile() *htmlreport.Page {
	people := &profile.Profile{}
	people.Add(&matching.Freelancer{
		Name: evil, Skills: []string{evil},
		Signals: matching.Signals{HourlyRate: matching.Some(40.), Rating: matching.Some(5.)},
	})

	example := bulk.Example{File: evil, Line: 3, Value: evil}
	return &htmlreport.Page{
		Command: "indexer load", Error: evil, Version: "1.2.3", User: evil, Finished: time.Unix(1_900_000_000, 0),
		Currency: "USD",
		Files: []htmlreport.File{{
			Name: evil, Format: "csv", Notes: []string{evil}, Columns: []source.Column{
				{Header: evil, Field: "name", How: columns.ByHeader, Doubt: evil, Examples: []string{evil}, Note: evil},
				{Header: evil},
			},
		}},
		Report: &bulk.Report{
			Rows: 3, Freelancers: 1, Rejected: 2, DeadLetters: evil, Index: evil, Reason: evil,
			Merges: bulk.Merges{
				Keys: map[rows.Key]int{rows.ByID: 1},
				Conflicts: []bulk.Conflict{{
					Field: "rating", Freelancers: 1, Examples: []bulk.Disagreement{{Kept: example, Lost: example}},
				}},
			},
			FirstRejected: []bulk.DeadLetter{{
				File: evil, Line: 9, Faults: []bulk.DeadFault{{Column: evil, Value: evil, Reason: evil}},
			}},
		},
		Profile: people,
	}
}

func render(t *testing.T, p *htmlreport.Page) string {
	t.Helper()
	var out strings.Builder
	if err := htmlreport.Write(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Nothing from a file becomes an element, an attribute, a style or a script.
func TestWrite_EscapesEverything(t *testing.T) {
	page := render(t, hostile())
	if strings.ContainsAny(page, "\u202e\x00") {
		t.Error("the page has characters that hide or turn around the text")
	}
	document, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}

	seen := 0
	for node := range document.Descendants() {
		switch node.Type {
		case html.ElementNode:
			switch node.Data {
			case "script", "img", "iframe", "object", "link", "a", "form", "base":
				t.Errorf("the page has the element %s", node.Data)
			}

			for _, a := range node.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "href" || a.Key == "src" {
					t.Errorf("the element %s has the attribute %s=%q", node.Data, a.Key, a.Val)
				}
			}

		case html.TextNode:
			if strings.Contains(node.Data, "<script>alert(1)</script>") {
				seen++
				if node.Parent.Data == "style" {
					t.Error("a text of a file is in the style sheet")
				}
			}

		default:
		}
	}

	if seen < 15 {
		t.Errorf("the page shows the text %d times; the test needs it in more places", seen)
	}
}

// The page needs nothing but itself, and each table has headers.
func TestWrite_IsSelfContainedAndAccessible(t *testing.T) {
	page := render(t, hostile())
	if found := regexp.MustCompile(`(?i)(https?:)?//[a-z]|@import|url\(`).FindString(page); found != "" {
		t.Errorf("the page refers to something outside: %s", found)
	}
	document, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}

	ids := map[string]int{}
	labels := map[string]bool{}
	tables, headers := 0, 0
	for node := range document.Descendants() {
		for _, a := range node.Attr {
			switch a.Key {
			case "id":
				ids[a.Val]++
			case "aria-labelledby":
				for _, id := range strings.Fields(a.Val) {
					labels[id] = true
				}

			case "scope":
				headers++
			}
		}

		if node.Type == html.ElementNode && node.Data == "table" {
			tables++
		}
	}

	for id := range labels {
		if ids[id] != 1 {
			t.Errorf("%d elements have the id %s, which labels another", ids[id], id)
		}
	}

	if tables < 6 || headers < 3*tables {
		t.Errorf("%d tables with %d headers", tables, headers)
	}
}

func TestPage_Title(t *testing.T) {
	failed := &htmlreport.Page{Error: "too many", Report: &bulk.Report{}}
	for want, page := range map[string]*htmlreport.Page{
		"Nothing was loaded":               failed,
		"The files would not be loaded":    {Error: "too many", Checked: true, Report: &bulk.Report{}},
		"1 freelancer can be loaded":       {Checked: true, Report: &bulk.Report{Freelancers: 1}},
		"1,234 freelancers are live":       {Report: &bulk.Report{Indexed: 1234}},
		"1,236 freelancers are live":       {Report: &bulk.Report{InPlace: true, Kept: 1235, Indexed: 1}},
		"1 freelancer is live":             {Report: &bulk.Report{Indexed: 1}},
		"12,345 freelancers can be loaded": {Checked: true, Report: &bulk.Report{Freelancers: 12345}},
	} {
		if got := page.Title(); got != want {
			t.Errorf("title %q, want %q", got, want)
		}
		render(t, page)
	}
}

func TestPage_Coverage(t *testing.T) {
	page := &htmlreport.Page{Report: &bulk.Report{
		Indexed:  200,
		Coverage: map[string]int{"name": 200, "rating": 50},
		Before:   &bulk.Figures{Freelancers: 100, Coverage: map[string]int{"name": 100, "rating": 90}},
	}}
	for _, c := range page.Coverage() {
		switch c.Field {
		case "name":
			if c.After != 100 || c.Falls || c.Rise || c.Change() != "–" {
				t.Errorf("%+v", c)
			}
		case "rating":
			if c.Before != 90 || c.After != 25 || !c.Falls || c.Change() != "-65.0" {
				t.Errorf("%+v", c)
			}
		}
	}
}
