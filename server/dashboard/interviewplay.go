package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
)

const (
	interviewPath = "/api/v1/interview"
	maxFound      = 5                          // freelancers to choose from
	maxAsked      = 2 * interview.MaxQuestions // generated ones, and the client's own
)

// interviewView is the playground for interviews with what came of the request that was sent last.
type interviewView struct {
	sentView
	Found     answerView     // who fits the brief, where nobody was chosen
	Looked    bool           // for these
	Interview *heldInterview // nil: none has begun
}

// Modes is the choices of how to interview.
func (interviewView) Modes() []option {
	return []option{
		{string(interview.Questions), "all at once, then the evaluation"}, {string(interview.Adaptive), "one by one, by the answers so far"},
	}
}

// Counts is the choices of how many questions to ask.
func (interviewView) Counts() []option {
	return []option{{"1", "1"}, {"3", "3"}, {"5", "5"}, {"8", "8"}, {"10", "10"}}
}

// Languages is the choices of the questions' language.
func (interviewView) Languages() []option {
	choices := []option{{"", "as the description"}}
	for _, code := range []string{"en", "es", "de", "fr", "it", "nl", "pl", "pt"} {
		choices = append(choices, option{code, tongue(code)})
	}
	return choices
}

// interviewRequest is the body of POST /interview, as far as the playground fills it in. It is written in this order.
type interviewRequest struct {
	FreelancerID       string         `json:"freelancer_id,omitempty"`
	Mode               interview.Mode `json:"mode"`
	SessionID          string         `json:"session_id,omitempty"`
	ProjectDescription string         `json:"project_description,omitempty"`
	RequiredSkills     []string       `json:"required_skills,omitempty"`
	NumQuestions       int            `json:"num_questions,omitempty"`
	Language           string         `json:"language,omitempty"`
	ProvidedAnswers    []string       `json:"provided_answers,omitempty"`

	idempotencyKey string // "": none
}

// interviewForm is the playground for interviews with a form.
func (d *dashboard) interviewForm(v *visit, form url.Values) (page, error) {
	keys, err := d.playKeys(v)
	return page{
		Template: "interview", Title: "Playground: interviews", Section: "playground", Form: form,
		Data: interviewView{sentView: sentView{Keys: keys}},
	}, err
}

func (d *dashboard) interviewPage(v *visit) error {
	form := url.Values{"num_questions": {"5"}}
	if v.r.FormValue("sample") != "" {
		brief := sampleForm()
		form = url.Values{
			"project_description": brief["description"], "required_skills": brief["required_skills"], "num_questions": {"3"},
		}
	}
	if id := v.r.FormValue("freelancer"); id != "" {
		form.Set("freelancer_id", id)
	}
	p, err := d.interviewForm(v, form)
	if err != nil {
		return err
	}
	return d.ok(v, p)
}

// playInterview takes the next step of an interview by the API, as a client would, and shows where it stands.
func (d *dashboard) playInterview(v *visit) error {
	step := d.beginInterview
	switch v.value("step") {
	case "":
	case "answer":
		step = d.answerInterview
	case "report":
		step = d.reportInterview
	default:
		return errBadForm
	}
	p, err := d.interviewForm(v, v.r.PostForm)
	if err != nil {
		return err
	}
	key, err := d.Keys.Get(v.r.Context(), v.account.ID, v.value("key"))
	if err != nil {
		return err
	}
	view, _ := p.Data.(interviewView)
	status, wrong, err := step(v, key, &view)
	if err != nil {
		return err
	}
	p.Data, p.Faults = view, wrong
	return d.show(v, status, p)
}

// beginInterview begins one with the freelancer who was chosen. Where nobody was, it finds some to choose from.
func (d *dashboard) beginInterview(v *visit, key apikey.Key, view *interviewView) (status int, wrong *faults, err error) {
	f := &formReader{visit: v}
	request := interviewRequest{
		FreelancerID: v.value("freelancer_id"), Mode: interview.Mode(v.value("mode")), ProjectDescription: v.value("project_description"),
		RequiredSkills: lines(v.value("required_skills")), NumQuestions: f.whole("num_questions"), Language: v.value("language"),
	}
	if chosen := v.value("chosen"); chosen != "" {
		request.FreelancerID = chosen
		v.r.PostForm.Set("freelancer_id", chosen)
	}
	if len(f.faults) > 0 {
		return http.StatusUnprocessableEntity, &faults{Message: "the interview was not begun", Fields: f.faults}, nil
	}
	if request.FreelancerID == "" {
		return d.findFreelancers(v, key, &request, view)
	}
	status, wrong, err = d.askInterview(v, key, &request, view)
	if view.Interview != nil {
		view.Interview.Planned = request.NumQuestions
	}
	return status, wrong, err
}

// findFreelancers looks for those who fit the project best, and fills in the first.
func (d *dashboard) findFreelancers(v *visit, key apikey.Key, r *interviewRequest, view *interviewView) (status int, wrong *faults, err error) {
	brief := matchRequest{Description: r.ProjectDescription, RequiredSkills: r.RequiredSkills, Limit: maxFound}
	var decoded matchAnswer
	status, wrong, err = d.ask(v, key, matchPath, brief.encode(), &view.sentView, &decoded)
	if wrong != nil {
		for i := range wrong.Fields {
			if wrong.Fields[i].Field == "description" {
				wrong.Fields[i].Field = "project_description"
			}
		}
	}
	view.Looked = err == nil && view.Failure == nil
	view.Found = newAnswerView(&decoded)
	if len(view.Found.Cards) > 0 {
		v.r.PostForm.Set("freelancer_id", view.Found.Cards[0].Freelancer.ID)
	}
	return status, wrong, err
}

// answerInterview sends the answers of the form. Where that fails, the questions are shown again with what was typed.
func (d *dashboard) answerInterview(v *visit, key apikey.Key, view *interviewView) (status int, wrong *faults, err error) {
	before, err := readHeld(v.value("interview"))
	if err != nil {
		return 0, nil, err
	}
	request := interviewRequest{FreelancerID: before.Freelancer.ID, SessionID: before.SessionID, Mode: interview.Full}
	first := 0
	if before.Mode == interview.Adaptive {
		// The same answer again would be one to the next question: sent twice it counts once, and another one from an older page is
		// refused.
		first, request.Mode = len(before.Data.Answers), interview.Adaptive
		request.idempotencyKey = fmt.Sprintf("playground-%s-%d", before.SessionID, first)
	}
	for i := first; i < len(before.Data.Questions); i++ {
		request.ProvidedAnswers = append(request.ProvidedAnswers, v.value(answerField(i)))
	}
	view.Interview = before
	status, wrong, err = d.askInterview(v, key, &request, view)
	view.Interview.Planned = before.Planned
	if wrong != nil {
		for i := range wrong.Fields {
			atAnswer(&wrong.Fields[i], first)
		}
	}
	return status, wrong, err
}

// atAnswer tells a fault at the field of an answer, in words of the form. What is wrong with something that the form does not ask for
// is told at the first.
func atAnswer(fault *matching.FieldError, first int) {
	switch {
	case !strings.HasPrefix(fault.Field, answerPrefix):
		if fault.Code == "blank" {
			fault.Message = "answer at least one of the questions"
		}
		fault.Field = answerField(first)
	case strings.HasPrefix(fault.Message, "provided_answers["):
		_, what, _ := strings.Cut(fault.Message, "]")
		fault.Message = "the answer" + what
	}
}

// reportInterview shows an earlier interview again.
func (d *dashboard) reportInterview(v *visit, key apikey.Key, view *interviewView) (status int, wrong *faults, err error) {
	r := interviewRequest{FreelancerID: v.value("of_freelancer"), SessionID: v.value("session_id"), Mode: interview.Report}
	status, wrong, err = d.askInterview(v, key, &r, view)
	if wrong != nil {
		for i := range wrong.Fields {
			if wrong.Fields[i].Field == "freelancer_id" {
				wrong.Fields[i].Field = "of_freelancer"
			}
		}
	}
	return status, wrong, err
}

// askInterview sends a request. On success view has the interview as it stands then.
func (d *dashboard) askInterview(v *visit, key apikey.Key, request *interviewRequest, view *interviewView) (status int, wrong *faults, err error) {
	body := encodeRequest(request)
	r, err := http.NewRequestWithContext(v.r.Context(), http.MethodPost, interviewPath, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	view.Curl = d.curl(interviewPath, body, "YOUR_KEY")
	if request.idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", request.idempotencyKey)
		view.Curl = d.curl(interviewPath, body, "YOUR_KEY", "-H 'Idempotency-Key: "+request.idempotencyKey+"'")
	}
	var answer interviewAnswer
	status, wrong, err = d.send(v, key, r, &view.sentView, &answer)
	if err == nil && status == http.StatusOK {
		view.Interview = &heldInterview{readInterview: answer.Data}
	}
	return status, wrong, err
}

// answerPrefix begins the names of the fields for answers.
const answerPrefix = "answer"

// answerField is the field for the answer to question i, from 0.
func answerField(i int) string { return fmt.Sprint(answerPrefix, i+1) }

// Carried is what the form has to bring back: what was asked, without what a good answer is, and what was answered.
func (h *heldInterview) Carried() (string, error) {
	short := *h
	short.Data.Questions = nil
	for _, q := range h.Data.Questions {
		short.Data.Questions = append(short.Data.Questions, readQuestion{
			ID: q.ID, Text: q.Text, Skill: q.Skill, Kind: q.Kind, Difficulty: q.Difficulty, By: q.By,
		})
	}
	text, err := json.Marshal(short)
	return string(text), err
}

// readHeld reads what Carried has written. It comes from a browser: it is shown there again, and trusted for nothing else.
func readHeld(text string) (*heldInterview, error) {
	var h heldInterview
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return nil, errBadForm
	}
	asked, answered := len(h.Data.Questions), len(h.Data.Answers)
	if asked == 0 || asked > maxAsked || answered >= asked || h.Evaluation != nil || !isSessionID(h.SessionID) {
		return nil, errBadForm
	}
	return &h, nil
}

// isSessionID reports whether a text is an id of a session, in hexadecimal. It becomes part of a header.
func isSessionID(text string) bool {
	const most = 64
	return text != "" && len(text) <= most && strings.Trim(text, "0123456789abcdef") == ""
}
