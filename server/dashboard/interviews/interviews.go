package interviews

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/interviews"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/transcript"
)

// A Handler serves the pages about an account's stored interviews.
type Handler struct {
	Interviews Interviews
	PublicURL  *url.URL // where the links of candidates lead
	Now        func() time.Time
}

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	return []page.Route{
		page.Get("/interviews", account.Member, h.showInterviews),
		page.Get("/interviews/{session}", account.Member, h.showInterview),
		page.Post("/interviews/{session}/invitation", account.Member, h.inviteCandidate),
		page.Post("/interviews/{session}/invitation/revoke", account.Member, h.revokeCandidate),
		page.Post("/interviews/{session}/reviews", account.Member, h.reviewMark),
		page.Post("/interviews/{session}/delete", account.Owner, h.deleteInterview),
	}
}

// Interviews reads and changes the stored interviews of an account; see sessions.Service.
type Interviews interface {
	List(ctx context.Context, s interview.Selection, after interview.Place, limit int) (interview.Page, error)
	Read(ctx context.Context, account, id string, by interview.Requester) (interview.Result, error)
	Delete(ctx context.Context, account, id string, by interview.Requester) error
	Invite(ctx context.Context, r interview.InvitationRequest) (interview.Invited, error)
	Revoke(ctx context.Context, account, id string, by interview.Requester) error
	Review(ctx context.Context, r interview.ReviewRequest) (interview.Result, error)
}

// interviewsPath is the path of the list.
const interviewsPath = page.Root + "/interviews"

// interviewsPerPage is how many interviews a page of the list holds.
const interviewsPerPage = 50

// interviewsView is one page of the list, the newest first.
type interviewsView struct {
	Rows    []interviewRow
	States  []page.Option // to choose from
	Chosen  bool          // the list is filtered
	Damaged int           // left out of this page
	Next    string        // URL of the next page; "" on the last one
	First   string        // URL of the first page; "" if this is it
}

type interviewRow struct {
	interview.Summary
	URL    string
	For    string      // the title of the project, or the first words of its description
	Result page.Option // CSS class of its badge, and label
}

func interviewURL(id string) string { return interviewsPath + "/" + url.PathEscape(id) }

// requester returns who asks for an interview, for the audit log.
func requester(v *page.Visit) interview.Requester {
	return interview.Requester{By: v.By(), Account: v.Account.ID}
}

// interviewLimits returns what the account may store.
func interviewLimits(v *page.Visit) interview.Limits {
	plan, _ := apikey.PlanNamed(v.Account.Plan)
	return interview.Limits{Sessions: plan.Interviews, Bytes: plan.InterviewBytes}
}

// showInterviews shows a page of the account's interviews.
func (h *Handler) showInterviews(v *page.Visit) error {
	chosen := interview.Selection{
		Account:      v.Account.ID,
		FreelancerID: strings.TrimSpace(v.Request.FormValue("freelancer_id")),
		State:        interview.State(v.Request.FormValue("state")),
	}

	after, err := readPlace(v.Request.FormValue("begun"), v.Request.FormValue("after"))
	knownState := slices.Contains([]interview.State{"", interview.Open, interview.Evaluated}, chosen.State)
	if err != nil || !knownState {
		return page.ErrNotFound
	}
	list, err := h.Interviews.List(v.Context(), chosen, after, interviewsPerPage)
	if err != nil {
		return err
	}

	view := interviewsView{
		States:  page.Options("", "All", string(interview.Open), "Open", string(interview.Evaluated), "Evaluated"),
		Chosen:  chosen.FreelancerID != "" || chosen.State != "",
		Damaged: list.Damaged,
	}
	for _, s := range list.Sessions {
		view.Rows = append(view.Rows, interviewRow{
			Summary: s, URL: interviewURL(s.SessionID), For: cmp.Or(s.JobTitle, page.Gist(s.Project)), Result: resultOf(&s),
		})
	}

	filters := url.Values{}
	for name, value := range map[string]string{"freelancer_id": chosen.FreelancerID, "state": string(chosen.State)} {
		if value != "" {
			filters.Set(name, value)
		}
	}
	if after.ID != "" {
		view.First = listURL(filters, interview.Place{})
	}
	if list.Next.ID != "" {
		view.Next = listURL(filters, list.Next)
	}

	return v.OK(page.Page{Template: "interviews", Title: "Interviews", Section: "interviews", Form: filters, Data: view})
}

// listURL returns the address of the page of a list that begins after a place, with the same filters.
func listURL(filters url.Values, after interview.Place) string {
	query := maps.Clone(filters)
	if after.ID != "" {
		query.Set("begun", after.Begun.Format(time.RFC3339Nano))
		query.Set("after", after.ID)
	}
	return interviewsPath + "?" + query.Encode()
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
func resultOf(s *interview.Summary) page.Option {
	switch {
	case s.State == interview.Open:
		return page.Option{Value: "", Label: "Open"}
	case !s.Recommendation.Known:
		return page.Option{Value: "warn", Label: "No recommendation"}
	case s.Recommendation.Value:
		return page.Option{Value: "on", Label: "Recommended"}
	default:
		return page.Option{Value: "bad", Label: "Not recommended"}
	}
}

// storedView is the data of the page with one interview.
type storedView struct {
	Interview *transcript.Interview
	Brief     interview.Brief
	Path      string
	Languages []page.Option // of a candidate's pages
	Link      string        // for the candidate; "" unless it was created just now
	LinkEnds  time.Time     // when Link expires
	MayInvite bool          // the interview waits for answers
	MayRevoke bool          // a link works or is in use
	MayDelete bool
}

// storedInterviewPage returns the page with one interview.
func (h *Handler) storedInterviewPage(v *page.Visit, form url.Values) (page.Page, *storedView, error) {
	id := v.Request.PathValue("session")
	result, err := h.Interviews.Read(v.Context(), v.Account.ID, id, requester(v))
	if err != nil {
		return page.Page{}, nil, err
	}

	state := &transcript.Interview{Interview: wire.NewInterview(&result, h.Now())}
	view := &storedView{
		Interview: state,
		Brief:     result.Brief,
		Path:      interviewURL(id),
		Languages: page.Options("", "The interview’s"),
		MayInvite: result.State == interview.Open,
		MayDelete: v.User.Role.Includes(account.Owner),
	}

	// Only marks of a finished evaluation can be reviewed.
	if state.Evaluation != nil {
		state.Review = view.Path + "/reviews"
	}

	// A new link replaces one that waits or is in use, but not the answers that were submitted.
	if i := state.Invitation; i != nil {
		view.MayInvite = view.MayInvite && i.State != interview.InvitationSubmitted
		view.MayRevoke = i.State == interview.InvitationPending || i.State == interview.InvitationOpened
	}

	for _, code := range []string{"en", "es", "de", "fr", "pt"} {
		view.Languages = append(view.Languages, page.Option{Value: code, Label: page.LanguageName(code)})
	}

	return page.Page{
		Template: "storedinterview",
		Title:    "Interview with " + cmp.Or(result.Freelancer.Name, result.Freelancer.ID),
		Section:  "interviews",
		Form:     form,
		Data:     view,
	}, view, nil
}

func (h *Handler) showInterview(v *page.Visit) error {
	p, _, err := h.storedInterviewPage(v, url.Values{"days": {"7"}})
	if err != nil {
		return err
	}
	return v.OK(p)
}

// inviteCandidate creates a link for the candidate and shows it.
func (h *Handler) inviteCandidate(v *page.Visit) error {
	id := v.Request.PathValue("session")
	f := &page.FormReader{Visit: v}
	r := interview.InvitationRequest{
		Account:     v.Account.ID,
		Limits:      interviewLimits(v),
		By:          requester(v),
		SessionID:   id,
		Language:    v.Value("language"),
		ConsentText: v.Value("consent_text"),
		ReturnURL:   v.Value("return_url"),
	}

	if days := f.Integer("days"); days != nil {
		r.ExpiresIn = matching.Some(24 * min(max(0, *days), interview.MaxInvitationHours)) // without an overflow
	}

	if minutes := f.Integer("minutes"); minutes != nil {
		r.TimeLimit = matching.Some(*minutes)
	}
	invited := interview.Invited{}
	err := matching.Invalid(f.Faults)
	if err == nil {
		invited, err = h.Interviews.Invite(v.Context(), r)
	}

	// The page is read after the change, so that it shows the invitation.
	p, view, pageErr := h.storedInterviewPage(v, v.Request.PostForm)
	if pageErr != nil {
		return pageErr
	}
	if err != nil {
		return v.Reject(invitationFaults(err), p)
	}

	view.Link = interviews.CandidateLink(h.PublicURL, invited.Token)
	view.LinkEnds = invited.Expires
	return v.Show(http.StatusCreated, p)
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
func (h *Handler) revokeCandidate(v *page.Visit) error {
	id := v.Request.PathValue("session")
	if err := h.Interviews.Revoke(v.Context(), v.Account.ID, id, requester(v)); err != nil {
		return err
	}
	v.Notice("Revoked. The link no longer works.")
	return v.Redirect(interviewURL(id))
}

// reviewMark replaces the level of a mark.
func (h *Handler) reviewMark(v *page.Visit) error {
	id := v.Request.PathValue("session")
	f := &page.FormReader{Visit: v}
	r := interview.ReviewRequest{
		Account:   v.Account.ID,
		Limits:    interviewLimits(v),
		By:        requester(v),
		SessionID: id,
		Question:  v.Value("question"),
		Criterion: v.Value("criterion"),
		Reason:    v.Value("reason"),
		Reviewer:  v.User.Email,
	}

	if level := f.Integer("level"); level != nil {
		r.Level = matching.Some(*level)
	}

	if _, err := h.Interviews.Review(v.Context(), r); err != nil {
		p, _, pageErr := h.storedInterviewPage(v, v.Request.PostForm)
		if pageErr != nil {
			return pageErr // such as that the account has no such interview
		}

		if e, ok := errors.AsType[*matching.Error](err); ok { // the page has several of these fields
			err = &matching.Error{Code: e.Code, Message: reviewFault(e)}
		}
		return v.Reject(err, p)
	}

	v.Notice("Mark changed. The totals follow it.")
	return v.Redirect(interviewURL(id))
}

// reviewFault returns what is wrong with a review.
func reviewFault(e *matching.Error) string {
	for _, fault := range e.Details {
		if fault.Field == "reason" {
			return "Give a reason for the change."
		}
	}
	if len(e.Details) > 0 {
		return page.Sentence(e.Details[0].Message)
	}
	return e.Message
}

// deleteInterview deletes an interview with everything that the candidate said.
func (h *Handler) deleteInterview(v *page.Visit) error {
	id := v.Request.PathValue("session")
	err := matching.Invalid([]matching.FieldError{{
		Field: "confirm", Code: "required", Message: "select the checkbox to delete the interview",
	}})
	if v.Value("confirm") != "" {
		err = h.Interviews.Delete(v.Context(), v.Account.ID, id, requester(v))
	}
	if err != nil {
		p, _, pageErr := h.storedInterviewPage(v, url.Values{"days": {"7"}})
		if pageErr != nil {
			return pageErr
		}
		return v.Reject(err, p)
	}
	v.Notice("Interview deleted.")
	return v.Redirect(interviewsPath)
}
