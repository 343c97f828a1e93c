package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
	"freelancer-matching/ranking"
)

const matchPath = "/api/v1/match"

// sentView is what every page of the playground shows of the request that was sent last.
type sentView struct {
	Keys    []option // that it can be counted against
	Sent    bool
	Curl    string // the same request
	Failure *failureView
	Left    leftView
}

// playView is the playground for briefs with the answer to what was sent last.
type playView struct {
	sentView
	Profiles []option
	More     bool // whether the fields for conditions begin open
	Answer   answerView
}

// BudgetTypes is the choices of what a budget is for. The first is what the API takes where nothing is said.
func (playView) BudgetTypes() []option { return []option{{"", "project"}, {"hourly", "hour"}} }

// Complexities is the choices of the field.
func (playView) Complexities() []option {
	return []option{{"", "not said"}, {"low", "low"}, {"medium", "medium"}, {"high", "high"}}
}

// Limits is the choices of how many matches to ask for.
func (playView) Limits() []option {
	return []option{{"3", "3"}, {"5", "5"}, {"10", "10"}, {"20", "20"}}
}

// leftView is what the answer's headers say of the key's limits.
type leftView struct {
	Limit, Remaining, Reset string // Reset in seconds; "": the plan has no limits, or the request was not counted
}

// failureView is an answer that is an error.
type failureView struct {
	Status    int
	Code      string
	Message   string
	RequestID string
}

// sampleForm is a brief to begin with.
func sampleForm() url.Values {
	return url.Values{
		"description":     {"Online shop for a ceramics studio\nReact storefront with a Node.js backend and card payments."},
		"required_skills": {"ReactJS, Node, Kubernetes"}, "nice_to_have_skills": {"Figma"},
		"budget_low": {"3000"}, "budget_high": {"9000"}, "complexity": {"medium"}, "timeline": {"45"}, "limit": {"5"},
	}
}

func sampleRequest() matchRequest {
	return matchRequest{
		Description:    "Online shop for a ceramics studio: React storefront, Node.js backend, card payments.",
		RequiredSkills: []string{"React", "Node.js"}, BudgetRange: []float64{3000, 9000}, Timeline: 45, Limit: 3,
	}
}

// curl is a request with a JSON body as a command to paste.
func (d *dashboard) curl(path string, body []byte, key string, options ...string) string {
	quoted := strings.ReplaceAll(string(body), "'", `'\''`) // closes the quotation, writes one, opens it again
	return d.command(path, key, slices.Concat([]string{"-H 'Content-Type: application/json'"}, options, []string{"-d '" + quoted + "'"})...)
}

// command is a request as a command to paste. key stands between double quotes, so that it may be a variable.
func (d *dashboard) command(path, key string, options ...string) string {
	lines := append([]string{"curl -s " + originOf(d.PublicURL) + path, `-H "X-API-Key: ` + key + `"`}, options...)
	return strings.Join(lines, " \\\n  ")
}

// playKeys is the keys that a request can be counted against.
func (d *dashboard) playKeys(v *visit) ([]option, error) {
	keys, err := d.Keys.ListOf(v.r.Context(), v.account.ID)
	if err != nil {
		return nil, err
	}
	var active []option
	for _, k := range slices.Backward(keys) {
		if k.State(d.Now()) == apikey.Active {
			active = append(active, option{k.ID, k.Name + " (" + k.Masked() + ")"})
		}
	}
	return active, nil
}

// playForm is the playground for briefs with a form.
func (d *dashboard) playForm(v *visit, form url.Values) (page, error) {
	keys, err := d.playKeys(v)
	if err != nil {
		return page{}, err
	}
	view := playView{sentView: sentView{Keys: keys}, Profiles: profiles()}
	for _, name := range []string{"available", "min_rating", "min_experience", "max_hourly_rate", "must_have_skills", "profile"} {
		view.More = view.More || form.Get(name) != ""
	}
	return page{Template: "playground", Title: "Playground", Section: "playground", Form: form, Data: view}, nil
}

func profiles() []option {
	var options []option
	for _, name := range ranking.Names() {
		value := name
		if name == "default" {
			value = "" // what the service takes where a request names none
		}
		options = append(options, option{value, title(name)})
	}
	return options
}

func (d *dashboard) playgroundPage(v *visit) error {
	form := url.Values{"limit": {"5"}}
	if v.r.FormValue("sample") != "" {
		form = sampleForm()
	}
	p, err := d.playForm(v, form)
	if err != nil {
		return err
	}
	return d.ok(v, p)
}

// play sends the brief of the form to the API as a client would, and shows the answer.
func (d *dashboard) play(v *visit) error {
	p, err := d.playForm(v, v.r.PostForm)
	if err != nil {
		return err
	}
	key, err := d.Keys.Get(v.r.Context(), v.account.ID, v.value("key"))
	if err != nil {
		return err
	}
	request, wrong := requestFrom(v)
	if wrong != nil {
		p.Faults = wrong
		return d.show(v, http.StatusUnprocessableEntity, p)
	}
	view, _ := p.Data.(playView)
	var decoded matchAnswer
	status, wrong, err := d.ask(v, key, matchPath, request.encode(), &view.sentView, &decoded)
	if err != nil {
		return err
	}
	view.Answer = newAnswerView(&decoded)
	p.Data, p.Faults = view, wrong
	return d.show(v, status, p)
}

// ask sends a request with a JSON body.
func (d *dashboard) ask(v *visit, key apikey.Key, path string, body []byte, view *sentView, into any) (status int, wrong *faults, err error) {
	r, err := http.NewRequestWithContext(v.r.Context(), http.MethodPost, path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	view.Curl = d.curl(path, body, "YOUR_KEY")
	return d.send(v, key, r, view, into)
}

// send has the API answer a request as it would a client, and decodes the answer: into, or, of an error, into view and the
// faults of the form.
func (d *dashboard) send(v *visit, key apikey.Key, r *http.Request, view *sentView, into any) (status int, wrong *faults, err error) {
	r.RemoteAddr = v.r.RemoteAddr
	answer := &recorder{header: http.Header{}, status: http.StatusOK}
	d.API.ServeAs(key, answer, r)
	view.Sent = true
	view.Left = leftView{
		Limit: answer.header.Get("X-RateLimit-Limit"), Remaining: answer.header.Get("X-RateLimit-Remaining"),
		Reset: answer.header.Get("X-RateLimit-Reset"),
	}
	var failed apiFailure
	if answer.status != http.StatusOK {
		into = &failed
	}
	if err := json.Unmarshal(answer.body.Bytes(), into); err != nil {
		return 0, nil, fmt.Errorf("read the answer of the API: %w", err)
	}
	if answer.status == http.StatusOK {
		return answer.status, nil, nil
	}
	view.Failure = &failureView{
		Status: answer.status, Code: failed.Error.Code, Message: failed.Error.Message, RequestID: failed.RequestID,
	}
	return answer.status, playFaults(&failed), nil
}

// apiFailure is an answer of the API that is an error.
type apiFailure struct {
	RequestID string `json:"request_id"`
	Error     struct {
		Code    string                `json:"code"`
		Message string                `json:"message"`
		Details []matching.FieldError `json:"details"`
	} `json:"error"`
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is that of the answer.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader keeps the status.
func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
