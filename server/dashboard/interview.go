package dashboard

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"freelancer-matching/access/apikey"
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
	shared, err := d.playgroundView(v)
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
	if id := v.r.FormValue("freelancer"); id != "" {
		form.Set("freelancer_id", id)
	}
	p, _, err := d.interviewPage(v, form)
	if err != nil {
		return err
	}
	return d.ok(v, p)
}

// playInterview performs the step of an interview that the form asks for, and shows the interview after it.
func (d *dashboard) playInterview(v *visit) error {
	step := d.startInterview
	switch v.value("step") {
	case "":
	case "answer":
		step = d.answerInterview
	case "report":
		step = d.reportInterview
	default:
		return errBadForm
	}
	p, view, err := d.interviewPage(v, v.r.PostForm)
	if err != nil {
		return err
	}
	key, err := d.chosenKey(v)
	if err != nil {
		return err
	}
	if err := step(v, key, &view); err != nil {
		return err
	}
	p.Data, p.Faults = view, view.faults
	return d.show(v, view.status, p)
}

// startInterview starts an interview with the chosen freelancer. If none was chosen, it suggests some instead.
func (d *dashboard) startInterview(v *visit, key apikey.Key, view *interviewView) error {
	f := &formReader{visit: v}
	request := api.InterviewRequest{
		FreelancerID:       v.value("freelancer_id"),
		Mode:               f.text("mode"),
		ProjectDescription: v.value("project_description"),
		RequiredSkills:     splitList(v.value("required_skills")),
		NumQuestions:       f.integer("num_questions"),
		Language:           v.value("language"),
	}
	if chosen := v.value("chosen"); chosen != "" {
		request.FreelancerID = chosen
		v.r.PostForm.Set("freelancer_id", chosen)
	}
	if len(f.faults) > 0 {
		view.reject("the interview was not started", f.faults)
		return nil
	}
	if request.FreelancerID == "" {
		return d.suggestFreelancers(v, key, &request, view)
	}
	err := d.postInterview(v, key, &request, view)
	if view.Interview != nil && request.NumQuestions != nil {
		view.Interview.Planned = *request.NumQuestions
	}
	return err
}

// suggestFreelancers finds the freelancers who match the project best, and fills in the first one.
func (d *dashboard) suggestFreelancers(
	v *visit, key apikey.Key, r *api.InterviewRequest, view *interviewView,
) error {
	brief := api.MatchRequest{
		Description:    r.ProjectDescription,
		RequiredSkills: r.RequiredSkills,
		Limit:          new(maxSuggestions),
	}
	var answer api.MatchAnswer
	if err := d.postJSON(v, key, matchPath, brief, &view.playgroundView, &answer); err != nil {
		return err
	}
	view.faults.rename("description", "project_description")
	view.Suggested = view.Failure == nil
	view.Suggestions = newAnswerView(&answer)
	if len(view.Suggestions.Cards) > 0 {
		v.r.PostForm.Set("freelancer_id", view.Suggestions.Cards[0].Freelancer.ID)
	}
	return nil
}

// answerInterview sends the answers in the form. If that fails, the questions are shown again with what was typed.
func (d *dashboard) answerInterview(v *visit, key apikey.Key, view *interviewView) error {
	before, err := decodeInterview(v.value("interview"))
	if err != nil {
		return err
	}
	request := api.InterviewRequest{
		FreelancerID: before.Freelancer.ID,
		SessionID:    before.SessionID,
		Mode:         new(string(interview.Full)),
	}
	first := 0
	var headers []string
	if before.Adaptive() {
		// An answer sent twice would otherwise count for the next question as well. The key makes it count once, and makes
		// the API reject a different answer from an outdated page.
		first, request.Mode = len(before.InterviewData.Answers), new(string(interview.Adaptive))
		headers = append(headers, fmt.Sprintf("Idempotency-Key: playground-%s-%d", before.SessionID, first))
	}
	for i := first; i < len(before.InterviewData.Questions); i++ {
		request.ProvidedAnswers = append(request.ProvidedAnswers, v.value(answerField(i)))
	}
	view.Interview = before
	if err := d.postInterview(v, key, &request, view, headers...); err != nil {
		return err
	}
	view.Interview.Planned = before.Planned
	if view.faults != nil {
		for i := range view.faults.Fields {
			moveToAnswer(&view.faults.Fields[i], first)
		}
	}
	return nil
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

// reportInterview shows an earlier interview.
func (d *dashboard) reportInterview(v *visit, key apikey.Key, view *interviewView) error {
	err := d.postInterview(v, key, &api.InterviewRequest{
		FreelancerID: v.value("of_freelancer"),
		SessionID:    v.value("session_id"),
		Mode:         new(string(interview.Report)),
	}, view)
	view.faults.rename("freelancer_id", "of_freelancer")
	return err
}

// postInterview sends a request. If it succeeds, view.Interview is the state of the interview after it.
func (d *dashboard) postInterview(
	v *visit, key apikey.Key, request *api.InterviewRequest, view *interviewView, headers ...string,
) error {
	var answer api.InterviewAnswer
	err := d.postJSON(v, key, interviewPath, request, &view.playgroundView, &answer, headers...)
	if err == nil && view.Failure == nil {
		view.Interview = &interviewState{Interview: answer.Data}
	}
	return err
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
	asked, answered := len(s.InterviewData.Questions), len(s.InterviewData.Answers)
	if asked == 0 || asked > maxQuestions || answered >= asked || s.Evaluation != nil || !isSessionID(s.SessionID) {
		return nil, errBadForm
	}
	return &s, nil
}

// isSessionID reports whether a text is a session ID, in hexadecimal. It becomes part of a header.
func isSessionID(text string) bool {
	return text != "" && len(text) <= maxSessionLength && strings.Trim(text, "0123456789abcdef") == ""
}
