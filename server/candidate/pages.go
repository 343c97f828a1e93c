package candidate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// A fault is an error with a page of its own: the texts with its name as prefix.
type fault struct {
	name   string
	status int
}

// Error implements error.
func (f *fault) Error() string { return "candidate page: " + f.name }

var (
	errMissing   = &fault{"missing", http.StatusNotFound}
	errForeign   = &fault{"foreign", http.StatusForbidden}
	errBad       = &fault{"bad", http.StatusBadRequest}
	errSlow      = &fault{"slow", http.StatusRequestTimeout}
	errTooLarge  = &fault{"toolong", http.StatusRequestEntityTooLarge}
	errLimited   = &fault{"limited", http.StatusTooManyRequests}
	errSuspended = &fault{"suspended", http.StatusForbidden}
	errDown      = &fault{"down", http.StatusServiceUnavailable}
)

// refusals returns the status of the page for each refusal.
func refusals() map[interview.Refusal]int {
	return map[interview.Refusal]int{
		interview.RefusedUnknown:  http.StatusNotFound,
		interview.RefusedUsed:     http.StatusForbidden,
		interview.RefusedExpired:  http.StatusGone,
		interview.RefusedRevoked:  http.StatusGone,
		interview.RefusedTimeOver: http.StatusGone,
		interview.RefusedClosed:   http.StatusConflict,
		interview.RefusedBusy:     http.StatusConflict,
		interview.RefusedTooLong:  http.StatusRequestEntityTooLarge,
		interview.RefusedEmpty:    http.StatusUnprocessableEntity,
	}
}

// A visit is one request of a candidate.
type visit struct {
	w         http.ResponseWriter
	r         *http.Request
	candidate interview.Candidate
	interview.Visit
	owner    Owner
	language string // of the page
}

// A page is the data of a template.
type page struct {
	*visit
	texts   texts
	Title   string
	Heading string // "" for the title
	Problem string // what is wrong with the form; "" for nothing
	Name    string // of the fault
	Number  int    // of the question, from 1
	Code    string // what was entered as code
}

// Lang returns the language of the page.
func (p *page) Lang() string { return p.language }

// T returns a text.
func (p *page) T(key string, args ...any) (string, error) { return p.texts.text(key, args...) }

// serve handles a request and renders its error.
func (p *pages) serve(w http.ResponseWriter, r *http.Request, h func(*visit) error) {
	v := &visit{w: w, r: r, language: accepted(r)}
	if err := h(v); err != nil {
		p.fail(v, err)
	}
}

// fail renders an error as a page, or for the script as JSON. The text of an internal error goes to the log only.
func (p *pages) fail(v *visit, err error) {
	if errors.Is(v.r.Context().Err(), context.Canceled) {
		return // the client has disconnected
	}

	shown, _ := errors.AsType[*fault](err)

	if refused, ok := errors.AsType[*interview.RefusedError](err); ok {
		shown = &fault{string(refused.Refusal), refusals()[refused.Refusal]}
		if refused.Language != "" {
			v.language = refused.Language
		}
	}

	// Candidates see no internal error: they can't do anything about it, and the log has its text.
	if shown == nil {
		p.Log.Error("candidate page failed", "request_id", v.w.Header().Get("X-Request-Id"), "route", v.r.Pattern,
			"error", err)
		shown = errDown
	}

	switch shown {
	case errLimited:
		v.w.Header().Set("Retry-After", "60")
	case errDown:
		v.w.Header().Set("Retry-After", "5")
	case errForeign, errBad, errSlow, errTooLarge:
		if v.r.ContentLength != 0 {
			v.w.Header().Set("Connection", "close") // instead of waiting for the rest of the form
		}
	}

	if wantsJSON(v.r) {
		p.writeJSON(v, shown.status, map[string]string{"fault": shown.name})
		return
	}

	if err := p.show(v, shown.status, "fault", page{Title: shown.name + "_title", Name: shown.name}); err != nil {
		p.Log.Error("rendering the error page failed", "error", err)
		http.Error(v.w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

// show renders a page. Its title is the key of a text, or a text of its own if there is no such key.
func (p *pages) show(v *visit, status int, name string, data page) error {
	data.visit = v
	data.texts = p.texts[v.language]
	if text, err := data.T(data.Title); err == nil {
		data.Title = text
	}
	var body bytes.Buffer // render completely first, so that a failure can still become an error page
	if err := p.templates[name].ExecuteTemplate(&body, "layout", &data); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(body.Bytes()) // fails only if the client has disconnected
	return nil
}

// wantsJSON reports whether the script of a page sends the request.
func wantsJSON(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

func (p *pages) writeJSON(v *visit, status int, data any) {
	body, err := json.Marshal(data)
	if err != nil {
		panic(err) // cannot happen with maps of strings and numbers
	}
	v.w.Header().Set("Content-Type", "application/json")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(body) // fails only if the client has disconnected
}

func (v *visit) redirect(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// showEntry shows the form for the token of a link. The script fills it in.
func (p *pages) showEntry(v *visit) error {
	return p.show(v, http.StatusOK, "open", page{Title: "open_title"})
}

// open exchanges a token for the cookie of this browser. Once the candidate has agreed in a browser, it continues
// there.
func (p *pages) open(v *visit) error {
	key := quota.AddressKey(p.Address(v.r))
	if _, blocked := p.guard.Blocked(key); blocked {
		return errLimited
	}
	if err := readForm(v.w, v.r, maxOpening); err != nil {
		return err
	}

	// People paste the whole link as well as the token alone.
	token := strings.TrimSpace(v.r.PostForm.Get("token"))
	token = token[strings.LastIndexByte(token, '#')+1:] // of a whole link

	c, expires, err := p.Interviews.OpenInvitation(v.r.Context(), token)
	refused, _ := errors.AsType[*interview.RefusedError](err)

	// The browser in which the candidate has agreed gets in by its cookie. Only unknown tokens count as guesses.
	switch {
	case refused != nil && refused.Refusal == interview.RefusedUsed:
		return v.redirect(pathOf(refused.SessionID))
	case refused != nil && refused.Refusal == interview.RefusedUnknown:
		p.guard.Failed(key)
		return err
	case err != nil:
		return err
	}

	p.bind(v.w, c, expires)
	return v.redirect(pathOf(c.SessionID))
}

// inside returns a handler that finds the interview of a request before h. It reads the form only if the browser has
// opened the interview.
func (p *pages) inside(h func(*visit) error) func(*visit) error {
	return func(v *visit) (err error) {
		v.candidate = p.candidate(v.r)
		if v.Visit, err = p.Interviews.Visit(v.r.Context(), v.candidate); err != nil {
			return err
		}

		v.language = v.Language
		if v.owner, err = p.Owner(v.r.Context(), v.Account); err != nil {
			return err
		}

		// A candidate who has submitted can still see that the answers have arrived.
		if v.owner.Suspended && !v.Submitted {
			return errSuspended
		}

		// The form is read after the browser is known, so that strangers can't make the server receive long answers.
		if v.r.Method == http.MethodPost {
			if err := readForm(v.w, v.r, maxForm); err != nil {
				return err
			}
		}

		return h(v)
	}
}

// step returns the path of the page that the candidate should see now.
func (v *visit) step() string {
	if v.Started && !v.Submitted {
		return v.questionPath(v.current())
	}
	return pathOf(v.SessionID)
}

// current returns the number of the question to continue with: in adaptive interviews the only one that can be
// answered, otherwise the first one without an answer, or else the last one.
func (v *visit) current() int {
	if v.Adaptive {
		return len(v.Questions)
	}
	i := slices.IndexFunc(v.Questions, func(q interview.CandidateQuestion) bool { return q.Blank() })
	if i < 0 {
		return len(v.Questions)
	}
	return i + 1
}

func (v *visit) questionPath(n int) string {
	return pathOf(v.SessionID) + "questions/" + strconv.Itoa(n)
}

// showStep shows the introduction, continues, or thanks.
func (p *pages) showStep(v *visit) error {
	switch {
	case v.Submitted:
		return p.show(v, http.StatusOK, "done", page{Title: "done_title"})
	case v.Started:
		return v.redirect(v.step())
	}
	return p.show(v, http.StatusOK, "intro", page{Title: "intro_title"})
}

// start starts the interview if the candidate has agreed.
func (p *pages) start(v *visit) (err error) {
	if v.r.PostForm.Get("consent") != "yes" && !v.Started {
		return p.show(v, http.StatusUnprocessableEntity, "intro", page{Title: "intro_title", Problem: "consent_needed"})
	}
	if v.Visit, err = p.Interviews.Start(v.r.Context(), v.candidate); err != nil {
		return err
	}
	return v.redirect(v.step())
}

// inProgress reports whether answers can be given.
func (v *visit) inProgress() bool { return v.Started && !v.Submitted }

// number returns the number of the question in the path, or 0 if there is no such question or it can't be answered
// now.
func (v *visit) number() int {
	n, err := strconv.Atoi(v.r.PathValue("number"))
	if err != nil || n < 1 || n > len(v.Questions) {
		return 0
	}

	// An adaptive interview has chosen its next question by the answers before, so only the last one can be answered.
	if v.Adaptive && n != len(v.Questions) {
		return 0
	}

	return n
}

func (p *pages) showQuestion(v *visit) error {
	n := v.number()
	if !v.inProgress() || n == 0 {
		return v.redirect(v.step())
	}
	return p.renderQuestion(v, http.StatusOK, n, "")
}

func (p *pages) renderQuestion(v *visit, status, n int, problem string) error {
	title, err := p.texts[v.language].text("question", "n", n, "all", v.Planned)
	if err != nil {
		return err
	}
	return p.show(v, status, "question", page{Title: title, Number: n, Problem: problem})
}

// answer saves a draft, and goes where the pressed button says. The script saves without going anywhere.
func (p *pages) answer(v *visit) (err error) {
	n := v.number()
	if !v.inProgress() || n == 0 {
		return p.proceed(v, v.step())
	}

	q := v.Questions[n-1]
	text := clean(v.r.PostForm.Get("answer"))
	// With an error, Save returns no visit, but the page needs the questions.
	before := v.Visit

	if v.Visit, err = p.Interviews.Save(v.r.Context(), v.candidate, q.ID, text, v.facts()); err != nil {
		refused, _ := errors.AsType[*interview.RefusedError](err)
		tooLong := refused != nil && refused.Refusal == interview.RefusedTooLong

		// The script shows the fault beside the field itself.
		if !tooLong || wantsJSON(v.r) {
			return err
		}
		v.Visit = before
		v.Questions[n-1].Answer = text
		return p.renderQuestion(v, http.StatusUnprocessableEntity, n, "toolong_error")
	}

	// The time limit may have ended between the page and its form; then everything saved is submitted.
	if v.Submitted {
		return p.proceed(v, v.step())
	}

	if wantsJSON(v.r) {
		p.writeJSON(v, http.StatusOK, map[string]int{"remaining": v.Remaining()})
		return nil
	}

	switch v.r.PostForm.Get("go") {
	case "previous":
		return v.redirect(v.questionPath(max(1, n-1)))
	case "next":
		return p.next(v, n)
	case "review":
		return v.redirect(pathOf(v.SessionID) + "review")
	}

	return v.redirect(v.questionPath(n))
}

// clean returns an answer with "\n" at the ends of lines, and without other control characters than tabs: nobody sees
// them, and stored ones take six times their size.
func clean(answer string) string {
	return strings.Map(func(c rune) rune {
		hasMeaning := c == '\n' || c == '\t'
		if unicode.IsControl(c) && !hasMeaning {
			return -1
		}
		return c
	}, strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(answer))
}

// next goes to the question after the n-th. In adaptive interviews, it is chosen now.
func (p *pages) next(v *visit, n int) (err error) {
	if v.Adaptive && !v.Last() {
		if v.Visit, err = p.Interviews.Next(v.r.Context(), v.candidate, v.Questions[n-1].ID); err != nil {
			return err
		}
		return v.redirect(v.step())
	}
	if n == len(v.Questions) {
		return v.redirect(pathOf(v.SessionID) + "review")
	}
	return v.redirect(v.questionPath(n + 1))
}

// proceed goes to a page that is not the one that the candidate sees.
func (p *pages) proceed(v *visit, path string) error {
	if wantsJSON(v.r) {
		p.writeJSON(v, http.StatusConflict, map[string]string{"next": path})
		return nil
	}
	return v.redirect(path)
}

// facts returns the counts of the page's script. Without the script, they are blank.
func (v *visit) facts() interview.AnswerFacts {
	count := func(name string) matching.Optional[int] {
		n, err := strconv.Atoi(v.r.PostForm.Get(name))
		return matching.Optional[int]{Value: n, Known: err == nil}
	}
	return interview.AnswerFacts{
		Seconds: count("seconds"), TypedCharacters: count("typed"), PastedCharacters: count("pasted"),
		Pastes: count("pastes"),
	}
}

func (p *pages) showReview(v *visit) error {
	moreToCome := v.Adaptive && !v.Last()
	if !v.inProgress() || moreToCome {
		return v.redirect(v.step())
	}
	return p.show(v, http.StatusOK, "review", page{Title: "review_title"})
}

// submit submits the answers if the candidate confirms it, or if the time is over.
func (p *pages) submit(v *visit) (err error) {
	if !v.inProgress() {
		return v.redirect(v.step())
	}
	problem := ""

	if v.r.PostForm.Get("confirm") != "yes" {
		problem = "confirm_needed"
	} else {
		before := v.Visit
		v.Visit, err = p.Interviews.Submit(v.r.Context(), v.candidate)
		refused, _ := errors.AsType[*interview.RefusedError](err)
		switch {
		case refused != nil && refused.Refusal == interview.RefusedEmpty:
			problem = "empty_error"
			v.Visit = before
		case err != nil:
			return err
		default:
			return v.redirect(v.step())
		}
	}

	return p.show(v, http.StatusUnprocessableEntity, "review", page{Title: "review_title", Problem: problem})
}

// The methods below are for templates.

// Path returns the path of the interview.
func (v *visit) Path() string { return pathOf(v.SessionID) }

// Question returns the question on the page.
func (p *page) Question() interview.CandidateQuestion { return p.Questions[p.Number-1] }

// Known returns a count, or "" if it is unknown.
func (p *page) Known(n matching.Optional[int]) string {
	if !n.Known {
		return ""
	}
	return strconv.Itoa(n.Value)
}

// IsLast reports whether the question on the page is the last one.
func (p *page) IsLast() bool { return p.Number == p.Planned }

// AnsweredCount returns how many questions have an answer.
func (v *visit) AnsweredCount() int {
	n := 0
	for i := range v.Questions {
		if !v.Questions[i].Blank() {
			n++
		}
	}
	return n
}

// Who returns the name of the account that asks, or a description.
func (p *page) Who() (string, error) {
	if p.owner.Name != "" {
		return p.owner.Name, nil
	}
	return p.T("anyone")
}

// Named reports whether the name of the account that asks is known.
func (v *visit) Named() bool { return v.owner.Name != "" }

// Remaining returns the seconds until the deadline, rounded up, or -1 without one.
func (v *visit) Remaining() int {
	if v.Deadline.IsZero() {
		return -1
	}
	return max(0, int(math.Ceil(v.Deadline.Sub(v.Now).Seconds())))
}

// MinutesLeft returns the minutes until the deadline, rounded up.
func (v *visit) MinutesLeft() int { return int(math.Ceil(float64(v.Remaining()) / 60)) }

// Limit returns the time limit in minutes, or 0 for none.
func (v *visit) Limit() int { return int(v.TimeLimit.Minutes()) }

// Days returns the days until the session is deleted after its evaluation.
func (v *visit) Days() int { return int(math.Ceil(v.Retention.Hours() / 24)) }

// Max returns the maximum number of characters of an answer.
func (v *visit) Max() int { return interview.MaxAnswer }

// Length returns the number of characters of a text.
func (v *visit) Length(text string) int { return len([]rune(text)) }

// Moment returns a time for people. The script shows it in the time zone of the browser.
func (v *visit) Moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// Machine returns a time for machines.
func (v *visit) Machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Host returns the host of the return link.
func (v *visit) Host() string {
	u, err := url.Parse(v.ReturnURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// QuestionLanguage returns the name of the language of the questions, in the language of the page.
func (p *page) QuestionLanguage() string {
	return display.Languages(language.Make(p.language)).Name(language.Make(p.SpokenIn))
}
