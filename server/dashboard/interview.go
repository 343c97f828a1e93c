package dashboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"freelancer-matching/access/results"
	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
	"freelancer-matching/server/api"
)

const (
	interviewPath    = "/api/v1/interview"
	maxSuggestions   = 5                          // freelancers to choose from
	maxQuestions     = 2 * interview.MaxQuestions // generated questions plus the client's own
	maxSessionLength = 64                         // characters of a session ID
)

// interviewView is the playground for interviews.
type interviewView struct {
	playgroundView
	Suggestions answerView      // freelancers who match the brief, if none was chosen
	Suggested   bool            // Suggestions is the answer to a request
	Interview   *interviewState // nil until an interview has started
}

// Modes returns the ways to conduct an interview.
func (interviewView) Modes() []option {
	return []option{{string(interview.Questions), "All at once"}, {string(interview.Adaptive), "One at a time, adaptive"}}
}

// Counts returns the choices for the number of questions.
func (interviewView) Counts() []option {
	return []option{{"1", "1"}, {"3", "3"}, {"5", "5"}, {"8", "8"}, {"10", "10"}}
}

// Languages returns the choices for the language of the questions.
func (interviewView) Languages() []option {
	choices := []option{{"", "Automatic"}}
	for _, code := range []string{"en", "es", "de", "fr", "it", "nl", "pl", "pt"} {
		choices = append(choices, option{code, languageName(code)})
	}
	return choices
}

func (d *dashboard) interviewPage(v *visit, form url.Values) (page, interviewView, error) {
	shared, err := d.playgroundView(v, results.Interview)
	view := interviewView{playgroundView: shared}
	p := page{Template: "interview", Title: "Playground: interviews", Section: "playground", Form: form, Data: view}
	return p, view, err
}

func (d *dashboard) showInterviewForm(v *visit) error {
	form := url.Values{"num_questions": {"5"}}
	if v.r.FormValue("sample") != "" {
		brief := sampleForm()
		form = url.Values{
			"project_description": brief["description"],
			"required_skills":     brief["required_skills"],
			"num_questions":       {"3"},
		}
	}

	if brief, ok, err := d.matchOfResult(v, v.r.FormValue("from")); err != nil {
		return err
	} else if ok {
		form = interviewOfBrief(brief)
	}

	if id := v.r.FormValue("freelancer"); id != "" {
		form.Set("freelancer_id", id)
	}
	p, _, err := d.interviewPage(v, form)
	if err != nil {
		return err
	}

	return d.ok(v, p)
}

// interviewOfBrief returns the form for an interview about the brief in the form of a match.
func interviewOfBrief(brief url.Values) url.Values {
	form := url.Values{"num_questions": {"5"}, "key": brief["key"]}
	var description []string
	for _, name := range []string{"job_title", "description"} {
		if text := strings.TrimSpace(brief.Get(name)); text != "" {
			description = append(description, text)
		}
	}
	form.Set("project_description", strings.Join(description, "\n"))
	form.Set("required_skills", brief.Get("required_skills"))
	return form
}

// playInterview sends the step of an interview that the form asks for.
func (d *dashboard) playInterview(v *visit) error {
	switch v.value("step") {
	case "":
		return d.startInterview(v)
	case "answer":
		return d.answerInterview(v)
	case "report":
		return d.play(v, interviewCall("Report on "+v.value("session_id"), &api.InterviewRequest{
			FreelancerID: v.value("of_freelancer"),
			SessionID:    v.value("session_id"),
			Mode:         new(string(interview.Report)),
		}))
	default:
		return errBadForm
	}
}

// startInterview starts an interview with the chosen freelancer. If none was chosen, it finds the freelancers who match
// the project best.
func (d *dashboard) startInterview(v *visit) error {
	f := &formReader{visit: v}
	request := api.InterviewRequest{
		FreelancerID:       cmp.Or(v.value("chosen"), v.value("freelancer_id")),
		Mode:               f.text("mode"),
		ProjectDescription: v.value("project_description"),
		RequiredSkills:     splitList(v.value("required_skills")),
		NumQuestions:       f.integer("num_questions"),
		Language:           v.value("language"),
	}

	v.r.PostForm.Set("freelancer_id", request.FreelancerID)
	v.r.PostForm.Del("chosen")
	title := cmp.Or(request.ProjectDescription, strings.Join(request.RequiredSkills, ", "), request.FreelancerID)

	switch {
	case len(f.faults) > 0:
		p, view, err := d.interviewPage(v, v.r.PostForm)
		if err != nil {
			return err
		}
		view.reject("the interview was not started", f.faults)
		p.Data = view
		p.Faults = view.faults
		return d.show(v, http.StatusUnprocessableEntity, p)

	case request.FreelancerID == "":
		return d.play(v, call{kind: results.Interview, title: title, path: matchPath, body: api.MatchRequest{
			Description:    request.ProjectDescription,
			RequiredSkills: request.RequiredSkills,
			Limit:          new(maxSuggestions),
		}})

	default:
		return d.play(v, interviewCall(title, &request))
	}
}

// interviewCall returns a request about an interview.
func interviewCall(title string, request *api.InterviewRequest, headers ...string) call {
	return call{kind: results.Interview, title: title, path: interviewPath, headers: headers, body: request}
}

// answerInterview sends the answers in the form.
func (d *dashboard) answerInterview(v *visit) error {
	before, err := decodeInterview(v.value("interview"))
	if err != nil {
		return err
	}

	request := api.InterviewRequest{
		FreelancerID: before.Freelancer.ID,
		SessionID:    before.SessionID,
		Mode:         new(string(interview.Full)),
	}

	var headers []string
	if before.Adaptive() {
		// An answer sent twice would otherwise count for the next question as well. The key makes it count once, and makes
		// the API reject a different answer from an outdated page.
		request.Mode = new(string(interview.Adaptive))
		headers = append(headers, fmt.Sprintf("Idempotency-Key: playground-%s-%d", before.SessionID, before.firstOpen()))
	}

	for i := before.firstOpen(); i < len(before.InterviewData.Questions); i++ {
		request.ProvidedAnswers = append(request.ProvidedAnswers, v.value(answerField(i)))
	}
	name := cmp.Or(before.Freelancer.Name, before.Freelancer.ID)

	return d.play(v, interviewCall("Answers of "+name, &request, headers...))
}

// firstOpen returns the index of the first question that the form asks for an answer to.
func (s *interviewState) firstOpen() int {
	if s.Adaptive() {
		return len(s.InterviewData.Answers)
	}
	return 0
}

// interviewResult returns the page of a step of an interview.
func (d *dashboard) interviewResult(v *visit, r *results.Result) (page, error) {
	p, view, err := d.interviewPage(v, r.Form)
	if err != nil {
		return p, err
	}
	load := view.loadStart
	switch {
	case r.Path == matchPath:
		load = view.loadSuggestions
	case r.Form.Get("step") == "answer":
		load = view.loadAnswers
	case r.Form.Get("step") == "report":
		load = view.loadReport
	}
	err = load(d, r)
	p.Data = view
	p.Faults = view.faults
	return p, err
}

// loadSuggestions shows the freelancers who match a project, and fills in the first one.
func (v *interviewView) loadSuggestions(d *dashboard, r *results.Result) error {
	var answer api.MatchAnswer
	if err := v.load(d, r, &answer); err != nil {
		return err
	}
	v.faults.rename("description", "project_description")
	v.Suggested = v.Failure == nil
	v.Suggestions = newAnswerView(&answer)
	if len(v.Suggestions.Cards) > 0 {
		r.Form.Set("freelancer_id", v.Suggestions.Cards[0].Freelancer.ID)
	}
	return nil
}

// loadInterview shows the state of an interview after a request.
func (v *interviewView) loadInterview(d *dashboard, r *results.Result) error {
	var answer api.InterviewAnswer
	err := v.load(d, r, &answer)
	if err == nil && v.Failure == nil {
		v.Interview = &interviewState{Interview: answer.Data}
	}
	return err
}

// loadStart shows the start of an interview.
func (v *interviewView) loadStart(d *dashboard, r *results.Result) error {
	err := v.loadInterview(d, r)
	if v.Interview != nil {
		v.Interview.Planned, _ = strconv.Atoi(r.Form.Get("num_questions")) // 0 if none was chosen
	}
	return err
}

// loadAnswers shows the state of an interview after answers. If they were rejected, the questions are shown again with
// what was typed.
func (v *interviewView) loadAnswers(d *dashboard, r *results.Result) error {
	before, err := decodeInterview(r.Form.Get("interview"))
	if err != nil {
		return err
	}
	v.Interview = before
	err = v.loadInterview(d, r)
	v.Interview.Planned = before.Planned
	if v.faults != nil {
		for i := range v.faults.Fields {
			moveToAnswer(&v.faults.Fields[i], before.firstOpen())
		}
	}
	return err
}

// loadReport shows an earlier interview.
func (v *interviewView) loadReport(d *dashboard, r *results.Result) error {
	err := v.loadInterview(d, r)
	v.faults.rename("freelancer_id", "of_freelancer")
	if !r.Form.Has("num_questions") { // sent without scripts, so without the fields of the other form
		r.Form.Set("num_questions", "5")
	}
	return err
}

// moveToAnswer words a fault in terms of the form's answers. A fault in a value that the form does not ask for is shown
// at the first answer.
func moveToAnswer(fault *matching.FieldError, first int) {
	switch {
	case !strings.HasPrefix(fault.Field, answerPrefix):
		if fault.Code == "blank" {
			fault.Message = "answer at least one question"
		}
		fault.Field = answerField(first)
	case strings.HasPrefix(fault.Message, "provided_answers["):
		_, rest, _ := strings.Cut(fault.Message, "]")
		fault.Message = "the answer" + rest
	}
}

// answerPrefix starts the names of the form fields for answers.
const answerPrefix = "answer"

// answerField returns the form field for the answer to question i, counted from 0.
func answerField(i int) string { return fmt.Sprint(answerPrefix, i+1) }

// interviewState is an interview in progress. The page keeps it in a hidden form field between requests.
type interviewState struct {
	api.Interview
	Planned int `json:"planned"` // questions of an adaptive interview; 0 if unknown

	review string // where forms for changing marks lead; "" for none
}

// Encode returns the state for the hidden form field: the questions without their model answers, and the answers.
func (s *interviewState) Encode() (string, error) {
	short := *s
	short.InterviewData.Questions = nil
	for _, q := range s.InterviewData.Questions {
		short.InterviewData.Questions = append(short.InterviewData.Questions, api.InterviewQuestion{
			ID:          q.ID,
			Text:        q.Text,
			Skill:       q.Skill,
			Kind:        q.Kind,
			Difficulty:  q.Difficulty,
			GeneratedBy: q.GeneratedBy,
		})
	}
	text, err := json.Marshal(short)
	return string(text), err
}

// decodeInterview reads what Encode wrote. The text comes from a browser: use it only to show it there again, and to
// name the session, which the API checks.
func decodeInterview(text string) (*interviewState, error) {
	var s interviewState
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, errBadForm
	}
	asked := len(s.InterviewData.Questions)
	answered := len(s.InterviewData.Answers)
	if asked == 0 || asked > maxQuestions || answered >= asked || s.Evaluation != nil || !isSessionID(s.SessionID) {
		return nil, errBadForm
	}
	return &s, nil
}

// isSessionID reports whether a text is a session ID, in hexadecimal. It becomes part of a header.
func isSessionID(text string) bool {
	return text != "" && len(text) <= maxSessionLength && strings.Trim(text, "0123456789abcdef") == ""
}
