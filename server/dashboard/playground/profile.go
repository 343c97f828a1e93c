package playground

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A profileHandler serves the pages about the people in saved matches. A match shows somebody to the whole account, so
// the page needs no further permission and no quota.
type profileHandler struct{ *client }

// Records reads and finds what is stored about freelancers; see freelancers.Service.
type Records interface {
	Get(ctx context.Context, id string) (freelancers.Stored, error)
	Find(ctx context.Context, q freelancers.Search, offset, limit int) (freelancers.Found, error)
}

// profileView is the page about one person in the answer to a brief.
type profileView struct {
	card
	Result, Brief  string
	Of             int            // people in the answer
	Previous, Next string         // addresses of the pages about the neighbors; "" at both ends
	Description    [][]markedText // by paragraph
	LocalTime      string         // now, where the person is; "" if unknown
	Gone           bool           // nothing is stored about the person any more
	Record         string         // address of the profile; "" if it is gone
	Mark           string         // what became of the person, see markWord
	Actions        string         // address of the form that records what became of the person
	Back           string         // "list" if that form is beside the list
	InProject      *openProject   // that the person can be added to; nil for none
}

// markedText is a piece of a text. A marked one is a word of the brief.
type markedText struct {
	Text   string
	Marked bool
}

// profileURL returns the address of the page about a person in the answer of a saved result.
func profileURL(result, freelancer string) string {
	return resultsPath + result + "/freelancers/" + url.PathEscape(freelancer)
}

// showProfile shows a person of a saved match: what is stored now, and the score of then. To open the page is an event,
// unless the page is only the source of the pane beside the list.
func (h *profileHandler) showProfile(v *page.Visit) error {
	r, answer, i, err := h.savedPerson(v)
	if err != nil {
		return err
	}

	view, err := h.profileOf(v.Context(), &r, answer.Cards, i)
	if err != nil {
		return err
	}
	marks, err := h.marks(v.Context(), r.Account, answer.RequestID)
	if err != nil {
		return err
	}
	view.Mark = marks[view.Freelancer.ID]
	project, err := h.openProject(v.Context(), &r)
	if err != nil {
		return err
	}
	view.setProject(project)

	template := "pane"
	if v.Request.FormValue("pane") == "" {
		template, view.Back = "profile", ""
		if err := h.record(v.Context(), &r, answer.RequestID, view.Freelancer.ID, events.Clicked); err != nil {
			h.Log.WarnContext(v.Context(), "opened profile not recorded", "error", err)
		}
	}

	name := cmp.Or(view.Freelancer.Name, view.Freelancer.ID)
	return v.OK(page.Page{Template: template, Title: name, Section: "playground", Data: *view, Compressible: true})
}

// savedPerson returns the result and the person that a request names, by the index of the card. It returns
// results.ErrNotFound if there is no such result or it doesn't have the person.
func (h *client) savedPerson(v *page.Visit) (r results.Result, answer *answerView, i int, err error) {
	if r, err = h.savedMatches(v); err != nil {
		return r, nil, 0, err
	}
	if answer, err = h.savedAnswer(&r); err != nil {
		return r, nil, 0, err
	}
	i = slices.IndexFunc(answer.Cards, hasID(v.Request.PathValue("freelancer")))
	if i < 0 {
		return r, nil, 0, results.ErrNotFound
	}
	return r, answer, i, nil
}

// hasID returns a function that reports whether a card is about a person.
func hasID(id string) func(card) bool {
	return func(c card) bool { return c.Freelancer.ID == id }
}

// savedAnswer returns the answer of a saved match.
func (h *client) savedAnswer(r *results.Result) (*answerView, error) {
	var answer wire.MatchAnswer
	if err := decodeResponse(r.Response, &answer); err != nil {
		return nil, err
	}
	offset, err := offsetOf(r)
	view := newAnswerView(&answer, offset)
	return &view, err
}

// profileOf returns the profile of the person on one of the cards of a result, as the pane beside the list shows it.
func (h *client) profileOf(ctx context.Context, r *results.Result, cards []card, i int) (*profileView, error) {
	var brief wire.MatchRequest
	if err := decodeResponse(r.Request, &brief); err != nil {
		return nil, err
	}

	view := &profileView{card: cards[i], Result: r.ID, Brief: r.Title, Of: len(cards), Back: "list"}
	view.Interview = briefInterviewURL(r.ID, view.Freelancer.ID)
	view.Actions = profileURL(r.ID, view.Freelancer.ID)
	view.Page = view.Actions
	if i > 0 {
		view.Previous = profileURL(r.ID, cards[i-1].Freelancer.ID)
	}
	if i+1 < len(cards) {
		view.Next = profileURL(r.ID, cards[i+1].Freelancer.ID)
	}
	view.LocalTime = localTime(view.Details, h.Now())
	view.Gist = "" // the description is on the page

	return view, h.addRecord(ctx, view, &brief)
}

// record stores an event about a person in the response to a request. It returns an error for an event that isn't
// accepted.
func (h *client) record(ctx context.Context, r *results.Result, request, freelancer string, t events.Type) error {
	outcome, err := h.Outcomes.Record(ctx, r.Account, []events.Event{{Match: request, Freelancer: freelancer, Type: t}})
	if err == nil {
		err = matching.Invalid(outcome.Rejected)
	}
	return err
}

// recordOutcome records what became of a person, and returns to where the form was.
func (h *profileHandler) recordOutcome(v *page.Visit) error {
	r, answer, i, err := h.savedPerson(v)
	if err != nil {
		return err
	}

	outcome := events.Type(v.Value("outcome"))
	word := markWord(outcome)
	if word == "" {
		return page.ErrBadForm
	}
	id := answer.Cards[i].Freelancer.ID
	if err := h.record(v.Context(), &r, answer.RequestID, id, outcome); err != nil {
		return err
	}
	remark, err := h.followOutcome(v.Context(), &r, answer.RequestID, &answer.Cards[i], outcome)
	if err != nil {
		return err
	}
	switch done := cmp.Or(answer.Cards[i].Freelancer.Name, id) + ": " + word + "."; {
	case v.Value("back") != "pane":
		v.Notice(strings.TrimSpace(done + " " + remark))
	case remark != "": // a script announces the rest
		v.Notice(remark)
	}

	switch v.Value("back") {
	case "list":
		return v.Redirect(selectURL(r.ID, id))
	case "pane":
		return v.Redirect(profileURL(r.ID, id) + "?pane=1")
	default:
		return v.Redirect(profileURL(r.ID, id))
	}
}

// addRecord adds what only the stored record has. People may have been erased since the match.
func (h *client) addRecord(ctx context.Context, p *profileView, brief *wire.MatchRequest) error {
	stored, err := h.Records.Get(ctx, p.Freelancer.ID)
	switch {
	case matching.CodeOf(err) == matching.CodeFreelancerUnknown:
		p.Gone = true
		return nil
	case err != nil:
		return err
	}

	words := newBriefWords(h.analyzer, brief)
	for paragraph := range strings.Lines(stored.Freelancer.Description) {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			p.Description = append(p.Description, words.mark(paragraph))
		}
	}
	p.Record = page.FreelancerURL(p.Freelancer.ID)

	return nil
}

// localTime returns the time of day where somebody is, or "" if that is unknown or the zone is a fixed offset.
func localTime(d *wire.Details, now time.Time) string {
	if d == nil || d.TimeZone == nil {
		return ""
	}
	return page.LocalTime(*d.TimeZone, now)
}

// briefWords finds the words of a brief in other texts, in any grammatical form.
type briefWords struct {
	analyzer *analysis.Analyzer
	terms    map[string]bool
}

func newBriefWords(analyzer *analysis.Analyzer, brief *wire.MatchRequest) briefWords {
	w := briefWords{analyzer, map[string]bool{}}
	texts := slices.Concat([]string{brief.JobTitle, brief.Description}, brief.RequiredSkills, brief.NiceToHaveSkills)
	for _, term := range w.analyzer.Append(nil, strings.Join(texts, "\n")) {
		w.terms[term] = true
	}
	return w
}

// mark returns the pieces of a text.
func (w briefWords) mark(text string) (pieces []markedText) {
	isOfWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("+#", r) }

	for text != "" {
		first, _ := utf8.DecodeRuneInString(text)
		inWord := isOfWord(first)
		end := strings.IndexFunc(text, func(r rune) bool { return isOfWord(r) != inWord })
		if end < 0 {
			end = len(text)
		}

		marked := inWord && w.has(text[:end])
		if last := len(pieces) - 1; last >= 0 && pieces[last].Marked == marked {
			pieces[last].Text += text[:end]
		} else {
			pieces = append(pieces, markedText{text[:end], marked})
		}
		text = text[end:]
	}

	return pieces
}

// has reports whether a word is in the brief. Function words have no terms.
func (w briefWords) has(word string) bool {
	return slices.ContainsFunc(w.analyzer.Append(nil, word), func(term string) bool { return w.terms[term] })
}

// addGists adds the first words of the descriptions to cards without a title. If records can't be read, cards stay as
// they are, because the answer itself is complete.
func (h *client) addGists(ctx context.Context, cards []card) {
	for i := range cards {
		if cards[i].Freelancer.JobTitle != "" {
			continue
		}

		stored, err := h.Records.Get(ctx, cards[i].Freelancer.ID)
		switch {
		case err == nil:
			cards[i].Gist = page.Gist(stored.Freelancer.Description)
		case matching.CodeOf(err) != matching.CodeFreelancerUnknown: // the others would wait for the same fault
			h.Log.WarnContext(ctx, "descriptions of matches not read", "error", err)
			return
		}
	}
}
