package playground

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/transcript"
)

// An interviewHandler serves the playground for interviews.
type interviewHandler struct{ *client }

const (
	interviewPath  = "/api/v1/interview"
	maxSuggestions = 5 // freelancers to choose from
)

// interviewView is the playground for interviews.
type interviewView struct {
	playgroundView
	Suggestions answerView            // freelancers who match the brief, if none was chosen
	Suggested   bool                  // Suggestions is the answer to a request
	Interview   *transcript.Interview // nil until an interview has started
}

// Modes returns the ways to conduct an interview.
func (interviewView) Modes() []page.Option {
	return page.Options(string(interview.Questions), "All at once", string(interview.Adaptive), "One at a time, adaptive")
}

// Counts returns the choices for the number of questions.
func (interviewView) Counts() []page.Option {
	return page.Options("1", "1", "3", "3", "5", "5", "8", "8", "10", "10")
}

// Languages returns the choices for the language of the questions.
func (interviewView) Languages() []page.Option {
	choices := page.Options("", "Automatic")
	for _, code := range []string{"en", "es", "de", "fr", "it", "nl", "pl", "pt"} {
		choices = append(choices, page.Option{Value: code, Label: page.LanguageName(code)})
	}
	return choices
}

func (h *interviewHandler) interviewPage(v *page.Visit, form url.Values) (page.Page, interviewView, error) {
	shared, err := h.playgroundView(v, results.Interview)
	view := interviewView{playgroundView: shared}
	p := page.Page{Template: "interview", Title: "Playground: interviews", Section: "playground", Form: form, Data: view}
	return p, view, err
}

func (h *interviewHandler) showInterviewForm(v *page.Visit) error {
	form := url.Values{"num_questions": {"5"}}
	if v.Request.FormValue("sample") != "" {
		brief := sampleForm()
		form = url.Values{
			"project_description": brief["description"],
			"required_skills":     brief["required_skills"],
			"num_questions":       {"3"},
		}
	}

	// A link from a match names its result, so that the interview is about the same brief.
	if brief, ok, err := h.matchOfResult(v, v.Request.FormValue("from")); err != nil {
		return err
	} else if ok {
		form = interviewOfBrief(brief)
	}

	if id := v.Request.FormValue("freelancer"); id != "" {
		form.Set("freelancer_id", id)
	}
	p, _, err := h.interviewPage(v, form)
	if err != nil {
		return err
	}

	return v.OK(p)
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
func (h *interviewHandler) playInterview(v *page.Visit) error {
	switch v.Value("step") {
	case "":
		return h.startInterview(v)
	case "answer":
		return h.answerInterview(v)
	case "report":
		return h.play(v, interviewCall("Report on "+v.Value("session_id"), &wire.InterviewRequest{
			FreelancerID: v.Value("of_freelancer"),
			SessionID:    v.Value("session_id"),
			Mode:         new(string(interview.Report)),
		}))
	default:
		return page.ErrBadForm
	}
}

// startInterview starts an interview with the chosen freelancer. If none was chosen, it finds the freelancers who match
// the project best.
func (h *interviewHandler) startInterview(v *page.Visit) error {
	f := &page.FormReader{Visit: v}
	request := wire.InterviewRequest{
		FreelancerID:       cmp.Or(v.Value("chosen"), v.Value("freelancer_id")),
		Mode:               f.Text("mode"),
		ProjectDescription: v.Value("project_description"),
		RequiredSkills:     page.SplitList(v.Value("required_skills")),
		NumQuestions:       f.Integer("num_questions"),
		Language:           v.Value("language"),
	}

	// The button of a suggested freelancer counts like an entry in the field.
	v.Request.PostForm.Set("freelancer_id", request.FreelancerID)
	v.Request.PostForm.Del("chosen")
	title := cmp.Or(request.ProjectDescription, strings.Join(request.RequiredSkills, ", "), request.FreelancerID)

	// Without a freelancer, there is no one to interview yet: the brief is matched first.
	switch {
	case len(f.Faults) > 0:
		p, view, err := h.interviewPage(v, v.Request.PostForm)
		if err != nil {
			return err
		}
		view.reject("the interview was not started", f.Faults)
		p.Data = view
		p.Faults = view.faults
		return v.Show(http.StatusUnprocessableEntity, p)

	case request.FreelancerID == "":
		return h.play(v, call{kind: results.Interview, title: title, path: matchPath, body: wire.MatchRequest{
			Description:    request.ProjectDescription,
			RequiredSkills: request.RequiredSkills,
			Limit:          new(maxSuggestions),
		}})

	default:
		return h.play(v, interviewCall(title, &request))
	}
}

// interviewCall returns a request about an interview.
func interviewCall(title string, request *wire.InterviewRequest, headers ...string) call {
	return call{kind: results.Interview, title: title, path: interviewPath, headers: headers, body: request}
}

// answerInterview sends the answers in the form.
func (h *interviewHandler) answerInterview(v *page.Visit) error {
	before, err := transcript.Decode(v.Value("interview"))
	if err != nil {
		return err
	}

	request := wire.InterviewRequest{
		FreelancerID: before.Freelancer.ID,
		SessionID:    before.SessionID,
		Mode:         new(string(interview.Full)),
	}

	var headers []string
	if before.Adaptive() {
		// An answer sent twice would otherwise count for the next question as well. The key makes it count once, and makes
		// the API reject a different answer from an outdated page.
		request.Mode = new(string(interview.Adaptive))
		headers = append(headers, fmt.Sprintf("Idempotency-Key: playground-%s-%d", before.SessionID, before.FirstOpen()))
	}

	for i := before.FirstOpen(); i < len(before.InterviewData.Questions); i++ {
		request.ProvidedAnswers = append(request.ProvidedAnswers, v.Value(page.AnswerField(i)))
	}
	name := cmp.Or(before.Freelancer.Name, before.Freelancer.ID)

	return h.play(v, interviewCall("Answers of "+name, &request, headers...))
}

// interviewResult returns the page of a step of an interview.
func (h *interviewHandler) interviewResult(v *page.Visit, r *results.Result) (page.Page, error) {
	p, view, err := h.interviewPage(v, r.Form)
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
	err = load(h.client, r)
	p.Data = view
	p.Faults = view.faults
	return p, err
}

// loadSuggestions shows the freelancers who match a project, and fills in the first one.
func (v *interviewView) loadSuggestions(h *client, r *results.Result) error {
	var answer wire.MatchAnswer
	if err := v.load(h, r, &answer); err != nil {
		return err
	}
	v.faults.Rename("description", "project_description")
	v.Suggested = v.Failure == nil
	v.Suggestions = newAnswerView(&answer, 0)
	if len(v.Suggestions.Cards) > 0 {
		r.Form.Set("freelancer_id", v.Suggestions.Cards[0].Freelancer.ID)
	}
	return nil
}

// loadInterview shows the state of an interview after a request.
func (v *interviewView) loadInterview(h *client, r *results.Result) error {
	var answer wire.InterviewAnswer
	err := v.load(h, r, &answer)
	if err == nil && v.Failure == nil {
		v.Interview = &transcript.Interview{Interview: answer.Data}
	}
	return err
}

// loadStart shows the start of an interview.
func (v *interviewView) loadStart(h *client, r *results.Result) error {
	err := v.loadInterview(h, r)
	if v.Interview != nil {
		v.Interview.Planned, _ = strconv.Atoi(r.Form.Get("num_questions")) // 0 if none was chosen
	}
	return err
}

// loadAnswers shows the state of an interview after answers. If they were rejected, the questions are shown again with
// what was typed.
func (v *interviewView) loadAnswers(h *client, r *results.Result) error {
	before, err := transcript.Decode(r.Form.Get("interview"))
	if err != nil {
		return err
	}
	v.Interview = before
	err = v.loadInterview(h, r)
	v.Interview.Planned = before.Planned
	if v.faults != nil {
		for i := range v.faults.Fields {
			moveToAnswer(&v.faults.Fields[i], before.FirstOpen())
		}
	}
	return err
}

// loadReport shows an earlier interview.
func (v *interviewView) loadReport(h *client, r *results.Result) error {
	err := v.loadInterview(h, r)
	v.faults.Rename("freelancer_id", "of_freelancer")
	if !r.Form.Has("num_questions") { // sent without scripts, so without the fields of the other form
		r.Form.Set("num_questions", "5")
	}
	return err
}

// moveToAnswer words a fault in terms of the form's answers. A fault in a value that the form does not ask for is shown
// at the first answer.
func moveToAnswer(fault *matching.FieldError, first int) {
	switch {
	case !strings.HasPrefix(fault.Field, page.AnswerPrefix):
		if fault.Code == "blank" {
			fault.Message = "answer at least one question"
		}
		fault.Field = page.AnswerField(first)
	case strings.HasPrefix(fault.Message, "provided_answers["):
		_, rest, _ := strings.Cut(fault.Message, "]")
		fault.Message = "the answer" + rest
	}
}
