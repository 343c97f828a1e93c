//go:build integration

package integration

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// maxReportPages is how many A4 pages the report on a usual interview may take.
const maxReportPages = 2

// pagePattern matches the start of a page in a PDF file by Chromium, but not the list of pages.
var pagePattern = regexp.MustCompile(`/Type\s*/Page\b`)

// usualAnswer is an answer of usual length.
const usualAnswer = "On a shop with 4,000 products the list took 900 ms to render. The React profiler showed that " +
	"every row rendered again with each key press, so I memoised the rows and put a window around the list. After " +
	"that it took 60 ms. I wrote down what I measured, and the team added a budget for it to the build, which failed " +
	"twice in the next year, each time for a good reason. Looking back, I would have measured on a slow phone first, " +
	"because half of our customers shop on one."

// usualInterview conducts an interview of six questions, all but the last one answered, and returns its ID.
func usualInterview(t *testing.T, s *server) (session string) {
	t.Helper()
	const about = `{"freelancer_id":"f1859","mode":"ai_full","num_questions":6,"job_title":"Full-stack developer",
		"project_description":"We sell ceramics online. The shop is slow on phones, and we want to pay by card.",
		"required_skills":["React","Node.js","PostgreSQL"]`
	data := dataOf(t, s, http.MethodPost, "/api/v1/interview", about+"}")
	session, _ = data["session_id"].(string)
	answers, err := json.Marshal([]string{usualAnswer, usualAnswer, usualAnswer, usualAnswer, usualAnswer, ""})
	if err != nil {
		t.Fatal(err)
	}
	dataOf(t, s, http.MethodPost, "/api/v1/interview",
		about+`,"session_id":"`+session+`","provided_answers":`+string(answers)+"}")
	return session
}

// A report begins with the brief, names what the answers lack, and prints on two pages. A failed look-up of a
// report keeps what was entered for a new interview.
func TestDashboard_Reports(t *testing.T) {
	s := start(t, "-demo")
	v := newVisitor(t, s)
	v.setUp(t, s)
	token, _ := v.newKey(t, "Website")
	session := usualInterview(t, s.withKey(token))
	c := newChromium(t)
	for _, screen := range []screen{{"laptop", 1440, 900}, {"phone", 390, 844}} {
		t.Run(screen.name, func(t *testing.T) {
			b := c.person(t, s.URL, screen)
			b.assume(t, v)
			b.open(t, "/dashboard/interviews/"+session)
			b.wantText(t, "Brief", "We sell ceramics online", "Full-stack developer", "Results by skill",
				"points covered", "Areas for improvement", "Not found:", "not judged", "Question 6", "Print")
			b.inspect(t, "report")
			b.print(t, "report")

			if n := b.printedPages(t); n < 1 || n > maxReportPages {
				t.Errorf("the report prints on %d pages, want at most %d", n, maxReportPages)
			}

			keepsForm(t, b)
		})
	}
}

// printedPages returns how many A4 pages the page prints on.
func (b *tab) printedPages(t *testing.T) int {
	t.Helper()
	var document []byte
	b.run(t, "print", chromedp.ActionFunc(func(ctx context.Context) (err error) {
		document, _, err = cdppage.PrintToPDF().WithPaperWidth(8.27).WithPaperHeight(11.69).
			WithPreferCSSPageSize(true).Do(ctx)
		return err
	}))
	return len(pagePattern.FindAll(document, -1))
}

// keepsForm looks up a report that doesn't exist, and fails the test if that resets the form for a new interview.
func keepsForm(t *testing.T, b *tab) {
	t.Helper()
	b.open(t, "/dashboard/playground/interview")
	b.fill(t, "Description", "A shop for ceramics")
	b.choose(t, "Number", "8")
	b.run(t, "open the form for reports", chromedp.Click(`//summary[contains(., "View an earlier report")]`))
	b.fill(t, "Session ID", strings.Repeat("0", 32))
	b.fill(t, "Freelancer ID", "f1859")
	b.press(t, "View report")
	b.wantText(t, "The API responded with 404")
	var kept string
	b.run(t, "read the form", chromedp.Evaluate(`["project_description", "num_questions", "session_id"].
		map(id => document.getElementById(id).value).join()`, &kept))
	if want := "A shop for ceramics,8," + strings.Repeat("0", 32); kept != want {
		t.Errorf("the form has %q, want %q", kept, want)
	}
	b.inspect(t, "report-missing")
}
