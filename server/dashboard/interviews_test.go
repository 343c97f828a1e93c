package dashboard_test

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/sessions"
	"github.com/freelancer-matching/service/taxonomy"
)

const interviewsPage = "/dashboard/interviews"

// A person is the only freelancer who can be interviewed.
type person struct{ name string }

func (p person) Freelancer(context.Context, string) (matching.Freelancer, error) {
	return matching.Freelancer{ID: "f1", Name: p.name, JobTitle: "Nurse"}, nil
}

// noSkills finds no skills.
type noSkills struct{}

func (noSkills) ResolveAll(string, ...string) []taxonomy.Resolution { return nil }
func (noSkills) Extract(string) []taxonomy.Mention                  { return nil }
func (noSkills) Subjects(string) []taxonomy.Subject                 { return nil }
func (noSkills) Skill(string) (taxonomy.Skill, bool)                { return taxonomy.Skill{}, false }

// A levelJudge gives every answer the same marks, with its first word as evidence.
type levelJudge struct{ level int }

func (j levelJudge) Judge(
	_ context.Context, _ string, _ *interview.Subject, q *interview.Question, text string,
) (interview.Judgment, error) {
	word, _, _ := strings.Cut(text, " ")
	return interview.Judgment{Question: q.ID, Feedback: "Fine.", Marks: []interview.Mark{
		{Criterion: interview.Technical, Level: j.level, Evidence: []string{word}},
		{Criterion: interview.Communication, Level: j.level},
	}}, nil
}

func (levelJudge) Name() string    { return "llm:test" }
func (levelJudge) IsVerdict() bool { return true }

// interviewService returns a service on the world's database that interviews a person with a name.
func (w *world) interviewService(name string) *sessions.Service {
	return sessions.NewService(sessions.Config{
		Store: w.db.Interviews, Freelancers: person{name}, Skills: noSkills{}, Analyzer: analysis.New(),
		Judges: []interview.Judge{levelJudge{level: 4}}, Now: w.clock.now, Log: slog.New(slog.DiscardHandler),
	})
}

// interview holds an interview of a user's account, and returns its ID. Without answers it stays open.
func (w *world) interview(u account.User, name string, answers ...string) string {
	w.t.Helper()
	r := interview.Request{
		Account: u.Account, Mode: interview.CustomFull, FreelancerID: "f1", Language: "en", ProvidedAnswers: answers,
		By: interview.Requester{By: audit.By{Actor: u.ID}, Account: u.Account}, JobTitle: "Night shift " + name,
	}
	for _, text := range []string{"How do you hand over a shift? " + name, "What do you write down?"} {
		r.CustomQuestions = append(r.CustomQuestions, interview.CustomQuestion{Text: text, ExpectedAnswer: name})
	}
	result, err := w.interviewService(name).Conduct(w.t.Context(), r, nil)
	w.must(err)
	return result.SessionID
}

func TestInterviews_ListAndReport(t *testing.T) {
	w := newWorld(t)
	w.as(w.owner).get(interviewsPage).expect(t, http.StatusOK, "Interviews that your account holds appear here")
	open := w.interview(w.owner, "Mira")
	w.clock.advance(time.Minute)
	done := w.interview(w.owner, "Mira", "I read the chart aloud.", "")
	w.interview(w.stranger, "Somebody else")
	b := w.as(w.member)
	list := b.get(interviewsPage).expect(t, http.StatusOK, "Mira", "f1", "0 of 2", "1 of 2", "Open")
	if strings.Index(list.body, done) > strings.Index(list.body, open) || strings.Contains(list.body, "Somebody") {
		t.Errorf("want the newest first, and no interview of another account:\n%s", list.text())
	}

	filtered := b.get(interviewsPage + "?state=open").body
	if strings.Contains(filtered, done) || !strings.Contains(filtered, open) {
		t.Error("the filter by state doesn't work")
	}
	b.get(interviewsPage+"?freelancer_id=f2").expect(t, http.StatusOK, "No interview matches")
	b.get(interviewsPage+"?state=closed").expect(t, http.StatusNotFound)
	b.get(interviewsPage+"?after=x&begun=y").expect(t, http.StatusNotFound)

	report := b.get(interviewsPage+"/"+done).expect(t, http.StatusOK, "Interview with Mira", "Brief Night shift Mira",
		"Evaluated by",
		"How do you hand over a shift?", "I (evidence of technical) read the chart aloud.", "40", "of 100", "No answer.")
	if strings.Contains(report.body, "Create link") || strings.Contains(report.body, "Delete this interview") {
		t.Error("a member may invite to a closed interview, or delete it")
	}

	w.as(w.stranger).get(interviewsPage+"/"+done).expect(t, http.StatusNotFound)
	b.get(interviewsPage+"/nothing").expect(t, http.StatusNotFound)
}

// An interview without a title of the project is known by the first words of the description.
func TestInterviews_NamesTheProject(t *testing.T) {
	w := newWorld(t)
	r := interview.Request{
		Account: w.owner.Account, Mode: interview.CustomFull, FreelancerID: "f1", Language: "en",
		By:                 interview.Requester{By: audit.By{Actor: w.owner.ID}, Account: w.owner.Account},
		ProjectDescription: "Keep the night shift of a small clinic. " + strings.Repeat("Write everything down. ", 9),
		CustomQuestions:    []interview.CustomQuestion{{Text: "How?", ExpectedAnswer: "Calmly."}},
	}
	_, err := w.interviewService("Mira").Conduct(t.Context(), r, nil)
	w.must(err)

	list := w.as(w.owner).get(interviewsPage).expect(t, http.StatusOK, "Keep the night shift of a small clinic.", "down.…")
	if strings.Contains(list.text(), "not specified") {
		t.Error("the list says that the project is unknown")
	}
}

func TestInterviews_Pages(t *testing.T) {
	w := newWorld(t)
	var all []string
	for range 51 {
		w.clock.advance(time.Second)
		all = append(all, w.interview(w.owner, "Mira"))
	}
	b := w.as(w.owner)
	first := b.get(interviewsPage + "?state=open")
	next := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(first.body)
	if next == nil || strings.Contains(first.body, all[0]) {
		t.Fatalf("want a second page:\n%s", first.text())
	}
	second := b.get(strings.ReplaceAll(next[1], "&amp;", "&")).expect(t, http.StatusOK, "First page")
	if !strings.Contains(second.body, all[0]) || strings.Contains(second.body, all[1]) {
		t.Errorf("want only the oldest interview:\n%s", second.text())
	}
}

func TestInterviews_InviteAndRevoke(t *testing.T) {
	w := newWorld(t)
	id := w.interview(w.owner, "Mira")
	page := interviewsPage + "/" + id
	b := w.as(w.member)
	b.get(page).expect(t, http.StatusOK, "Create link")

	for fields, want := range map[[4]string]string{
		{"days", "soon", "minutes", ""}:         "Enter a whole number.",
		{"days", "9999", "minutes", ""}:         "Enter a number of days from 1 to",
		{"days", "3", "return_url", "http://x"}: "https",
	} {
		b.post(page+"/invitation", fields[:]...).expect(t, http.StatusUnprocessableEntity, want)
	}

	made := b.post(page+"/invitation", "days", "3", "minutes", "45", "language", "de").
		expect(t, http.StatusCreated, "http://match.example.com/interview/#", "shown only this time", "Pending")

	if again := b.get(page); strings.Contains(again.body, "/interview/#") || !strings.Contains(again.body, "Pending") {
		t.Errorf("the link is shown again, or the invitation isn't:\n%s", again.text())
	}
	token := regexp.MustCompile(`/interview/#([\w-]+)`).FindStringSubmatch(made.body)[1]
	b.post(page+"/invitation/revoke").expect(t, http.StatusSeeOther)
	b.get(page).expect(t, http.StatusOK, "Revoked. The link no longer works.", "Create a new link")

	candidates := sessions.NewCandidates(w.interviewService("Mira"))
	if _, _, err := candidates.OpenInvitation(t.Context(), token); err == nil {
		t.Error("the revoked link works")
	}
}

func TestInterviews_Delete(t *testing.T) {
	w := newWorld(t)
	id := w.interview(w.owner, "Mira", "I read the chart aloud.", "")
	page := interviewsPage + "/" + id
	w.as(w.member).post(page+"/delete", "confirm", "yes").expect(t, http.StatusForbidden)
	b := w.as(w.owner)
	b.post(page+"/delete").expect(t, http.StatusUnprocessableEntity, "Select the checkbox to delete the interview.")
	b.post(page+"/delete", "confirm", "yes").expect(t, http.StatusSeeOther)
	b.get(interviewsPage).expect(t, http.StatusOK, "Interview deleted.")
	b.get(page).expect(t, http.StatusNotFound)
}

func TestInterviews_Review(t *testing.T) {
	w := newWorld(t)
	page := interviewsPage + "/" + w.interview(w.owner, "Mira", "I read the chart aloud.", "I note the time.")
	b := w.as(w.member)
	b.get(page).expect(t, http.StatusOK, "Change a mark", "80 of 100")
	review := []string{"question", "q1", "criterion", "technical", "level", "1", "reason"}
	b.post(page+"/reviews", append(review, " ")...).
		expect(t, http.StatusUnprocessableEntity, "Give a reason for the change.")
	b.post(page+"/reviews", append(review, "That is against the rules.")...).expect(t, http.StatusSeeOther)
	got := b.get(page).expect(t, http.StatusOK, "Mark changed.", "1 of 5 reviewed",
		w.member.Email+" changed level 4 to 1", "That is against the rules.")
	if strings.Contains(got.text(), "80 of 100 No recommendation") {
		t.Errorf("the total didn't follow:\n%s", got.text())
	}
	w.as(w.stranger).post(page+"/reviews", append(review, "x")...).expect(t, http.StatusNotFound)
}
