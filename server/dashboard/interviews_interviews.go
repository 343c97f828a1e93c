package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
	"freelancer-matching/server/api"
)

// A storedHandler serves the pages about an account's stored interviews.
type storedHandler struct {
	Interviews Interviews
	PublicURL  *url.URL // where the links of candidates lead
}

// Routes returns the routes of the pages.
func (h *storedHandler) Routes() []route {
	return []route{
		get("/interviews", account.Member, h.showInterviews),
		get("/interviews/{session}", account.Member, h.showInterview),
		post("/interviews/{session}/invitation", account.Member, h.inviteCandidate),
		post("/interviews/{session}/invitation/revoke", account.Member, h.revokeCandidate),
		post("/interviews/{session}/reviews", account.Member, h.reviewMark),
		post("/interviews/{session}/delete", account.Owner, h.deleteInterview),
	}
}

// Interviews reads and changes the stored interviews of an account; see interview.Service.
type Interviews interface {
	List(ctx context.Context, s interview.Selection, after interview.Place, limit int) (interview.Page, error)
	Read(ctx context.Context, account, id string, by interview.Requester) (interview.Result, error)
	Delete(ctx context.Context, account, id string, by interview.Requester) error
	Invite(ctx context.Context, r interview.InvitationRequest) (interview.Invited, error)
	Revoke(ctx context.Context, account, id string, by interview.Requester) error
	Review(ctx context.Context, r interview.ReviewRequest) (interview.Result, error)
}

// interviewsPath is the path of the list.
const interviewsPath = root + "/interviews"

// interviewsPerPage is how many interviews a page of the list holds.
const interviewsPerPage = 50

// interviewsView is one page of the list, the newest first.
type interviewsView struct {
	Rows    []interviewRow
	States  []option // to choose from
	Chosen  bool     // the list is filtered
	Damaged int      // left out of this page
	Next    string   // URL of the next page; "" on the last one
	First   string   // URL of the first page; "" if this is it
}

type interviewRow struct {
	interview.Summary
	URL    string
	Result option // CSS class of its badge, and label
}

func interviewURL(id string) string { return interviewsPath + "/" + url.PathEscape(id) }

// requester returns who asks for an interview, for the audit log.
func (v *visit) requester() interview.Requester {
	return interview.Requester{By: v.by(), Account: v.account.ID}
}

// interviewLimits returns what the account may store.
func (v *visit) interviewLimits() interview.Limits {
	plan, _ := apikey.PlanNamed(v.account.Plan)
	return interview.Limits{Sessions: plan.Interviews, Bytes: plan.InterviewBytes}
}

// showInterviews shows a page of the account's interviews.
func (h *storedHandler) showInterviews(v *visit) error {
	chosen := interview.Selection{
		Account:      v.account.ID,
		FreelancerID: strings.TrimSpace(v.request.FormValue("freelancer_id")),
		State:        interview.State(v.request.FormValue("state")),
	}

	after, err := readPlace(v.request.FormValue("begun"), v.request.FormValue("after"))
	if err != nil || chosen.State != "" && chosen.State != interview.Open && chosen.State != interview.Evaluated {
		return errNotFound
	}
	list, err := h.Interviews.List(v.context(), chosen, after, interviewsPerPage)
	if err != nil {
		return err
	}

	view := interviewsView{
		States:  []option{{"", "All"}, {string(interview.Open), "Open"}, {string(interview.Evaluated), "Evaluated"}},
		Chosen:  chosen.FreelancerID != "" || chosen.State != "",
		Damaged: list.Damaged,
	}
	for _, s := range list.Sessions {
		view.Rows = append(view.Rows, interviewRow{s, interviewURL(s.SessionID), resultOf(&s)})
	}

	form := url.Values{}
	for name, value := range map[string]string{"freelancer_id": chosen.FreelancerID, "state": string(chosen.State)} {
		if value != "" {
			form.Set(name, value)
		}
	}

	if after.ID != "" {
		view.First = interviewsPath + "?" + form.Encode()
	}

	if list.Next.ID != "" {
		next := url.Values{"begun": {list.Next.Begun.Format(time.RFC3339Nano)}, "after": {list.Next.ID}}
		for name := range form {
			next.Set(name, form.Get(name))
		}
		view.Next = interviewsPath + "?" + next.Encode()
	}

	return v.ok(page{Template: "interviews", Title: "Interviews", Section: "interviews", Form: form, Data: view})
}

// readPlace returns the place in the list that a URL names, or the beginning.
func readPlace(begun, id string) (interview.Place, error) {
	if id == "" {
		return interview.Place{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, begun)
	return interview.Place{Begun: at, ID: id}, err
}

// resultOf returns what the list says about the outcome of an interview.
func resultOf(s *interview.Summary) option {
	switch {
	case s.State == interview.Open:
		return option{"", "Open"}
	case !s.Recommendation.Known:
		return option{"warn", "No recommendation"}
	case s.Recommendation.Value:
		return option{"on", "Recommended"}
	default:
		return option{"bad", "Not recommended"}
	}
}

// storedView is the data of the page with one interview.
type storedView struct {
	Interview *interviewState
	Brief     interview.Brief
	Path      string
	Languages []option  // of a candidate's pages
	Link      string    // for the candidate; "" unless it was created just now
	LinkEnds  time.Time // when Link expires
	MayInvite bool      // the interview waits for answers
	MayRevoke bool      // a link works or is in use
	MayDelete bool
}

// storedInterviewPage returns the page with one interview.
func (h *storedHandler) storedInterviewPage(v *visit, form url.Values) (page, *storedView, error) {
	id := v.request.PathValue("session")
	result, err := h.Interviews.Read(v.context(), v.account.ID, id, v.requester())
	if err != nil {
		return page{}, nil, err
	}

	state := &interviewState{Interview: api.NewInterview(&result)}
	view := &storedView{
		Interview: state,
		Brief:     result.Brief,
		Path:      interviewURL(id),
		Languages: []option{{"", "The interview’s"}},
		MayInvite: result.State == interview.Open,
		MayDelete: v.user.Role.Includes(account.Owner),
	}

	if state.Evaluation != nil {
		state.review = view.Path + "/reviews"
	}

	if i := state.Invitation; i != nil {
		view.MayInvite = view.MayInvite && i.State != interview.InvitationSubmitted
		view.MayRevoke = i.State == interview.InvitationPending || i.State == interview.InvitationOpened
	}

	for _, code := range []string{"en", "es", "de", "fr", "pt"} {
		view.Languages = append(view.Languages, option{code, languageName(code)})
	}

	return page{
		Template: "storedinterview",
		Title:    "Interview with " + cmp.Or(result.Freelancer.Name, result.Freelancer.ID),
		Section:  "interviews",
		Form:     form,
		Data:     view,
	}, view, nil
}

func (h *storedHandler) showInterview(v *visit) error {
	p, _, err := h.storedInterviewPage(v, url.Values{"days": {"7"}})
	if err != nil {
		return err
	}
	return v.ok(p)
}

// inviteCandidate creates a link for the candidate and shows it.
func (h *storedHandler) inviteCandidate(v *visit) error {
	id := v.request.PathValue("session")
	f := &formReader{visit: v}
	r := interview.InvitationRequest{
		Account:     v.account.ID,
		Limits:      v.interviewLimits(),
		By:          v.requester(),
		SessionID:   id,
		Language:    v.value("language"),
		ConsentText: v.value("consent_text"),
		ReturnURL:   v.value("return_url"),
	}

	if days := f.integer("days"); days != nil {
		r.ExpiresIn = matching.Some(24 * min(max(0, *days), interview.MaxInvitationHours)) // without an overflow
	}

	if minutes := f.integer("minutes"); minutes != nil {
		r.TimeLimit = matching.Some(*minutes)
	}
	invited := interview.Invited{}
	err := matching.Invalid(f.faults)
	if err == nil {
		invited, err = h.Interviews.Invite(v.context(), r)
	}

	p, view, pageErr := h.storedInterviewPage(v, v.request.PostForm)
	if pageErr != nil {
		return pageErr
	}
	if err != nil {
		return v.reject(invitationFaults(err), p)
	}

	view.Link = api.CandidateLink(h.PublicURL, invited.Token)
	view.LinkEnds = invited.Expires
	return v.show(http.StatusCreated, p)
}

// invitationFaults returns an error with the names of the form's fields.
func invitationFaults(err error) error {
	e, ok := errors.AsType[*matching.Error](err)
	if !ok {
		return err
	}
	renamed := *e
	renamed.Details = slices.Clone(e.Details)
	for i := range renamed.Details {
		fault := &renamed.Details[i]
		switch fault.Field {
		case "expires_in":
			fault.Field = "days"
			fault.Message = fmt.Sprintf("enter a number of days from 1 to %d", interview.MaxInvitationHours/24)
		case "time_limit_minutes":
			fault.Field = "minutes"
			fault.Message = strings.ReplaceAll(fault.Message, "time_limit_minutes", "the time limit in minutes")
		}
	}
	return &renamed
}

// revokeCandidate ends the link of a candidate.
func (h *storedHandler) revokeCandidate(v *visit) error {
	id := v.request.PathValue("session")
	if err := h.Interviews.Revoke(v.context(), v.account.ID, id, v.requester()); err != nil {
		return err
	}
	v.notice("Revoked. The link no longer works.")
	return v.redirect(interviewURL(id))
}

// reviewMark replaces the level of a mark.
func (h *storedHandler) reviewMark(v *visit) error {
	id := v.request.PathValue("session")
	f := &formReader{visit: v}
	r := interview.ReviewRequest{
		Account:   v.account.ID,
		Limits:    v.interviewLimits(),
		By:        v.requester(),
		SessionID: id,
		Question:  v.value("question"),
		Criterion: v.value("criterion"),
		Reason:    v.value("reason"),
		Reviewer:  v.user.Email,
	}

	if level := f.integer("level"); level != nil {
		r.Level = matching.Some(*level)
	}

	if _, err := h.Interviews.Review(v.context(), r); err != nil {
		p, _, pageErr := h.storedInterviewPage(v, v.request.PostForm)
		if pageErr != nil {
			return pageErr // such as that the account has no such interview
		}

		if e, ok := errors.AsType[*matching.Error](err); ok { // the page has several of these fields
			err = &matching.Error{Code: e.Code, Message: reviewFault(e)}
		}
		return v.reject(err, p)
	}

	v.notice("Mark changed. The totals follow it.")
	return v.redirect(interviewURL(id))
}

// reviewFault returns what is wrong with a review.
func reviewFault(e *matching.Error) string {
	for _, fault := range e.Details {
		if fault.Field == "reason" {
			return "Give a reason for the change."
		}
	}
	if len(e.Details) > 0 {
		return sentence(e.Details[0].Message)
	}
	return e.Message
}

// deleteInterview deletes an interview with everything that the candidate said.
func (h *storedHandler) deleteInterview(v *visit) error {
	id := v.request.PathValue("session")
	err := matching.Invalid([]matching.FieldError{{
		Field: "confirm", Code: "required", Message: "select the checkbox to delete the interview",
	}})
	if v.value("confirm") != "" {
		err = h.Interviews.Delete(v.context(), v.account.ID, id, v.requester())
	}
	if err != nil {
		p, _, pageErr := h.storedInterviewPage(v, url.Values{"days": {"7"}})
		if pageErr != nil {
			return pageErr
		}
		return v.reject(err, p)
	}
	v.notice("Interview deleted.")
	return v.redirect(interviewsPath)
}
