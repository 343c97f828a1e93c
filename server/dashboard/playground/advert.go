package playground

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// Documents reads the running text of documents; see resume.Parser.
type Documents interface {
	Text(ctx context.Context, file []byte, limit int) (resume.Text, error)
}

const (
	maxAdverts = 4               // received at a time, each with a file of up to resume.MaxFile in memory
	advertTime = 5 * time.Second // for reading a text
)

// advertForm is the form above the brief: a pasted advert or a file.
type advertForm struct {
	text string
	file []byte // nil if none was chosen
}

// readAdvert fills in the form of a brief with what an advert says. Nothing is searched.
func (h *matchHandler) readAdvert(v *page.Visit) error {
	select {
	case h.adverts <- struct{}{}:
		defer func() { <-h.adverts }()
	default:
		return &matching.Error{
			Code:       matching.CodeOverloaded,
			Message:    "The server is reading too many adverts. Try again in a few seconds.",
			RetryAfter: advertTime,
		}
	}

	sent, err := openAdvert(v.Request)
	// Browsers show a response only after they have sent the whole form.
	_, _ = io.Copy(io.Discard, v.Request.Body)
	if err != nil {
		return h.rejectAdvert(v, "", err)
	}

	text, omitted, err := h.advertText(v.Context(), sent)
	if err != nil {
		return h.rejectAdvert(v, sent.text, err)
	}
	return h.showProposals(v, url.Values{"description": {text}, "limit": {defaultLimit}}, omitted)
}

// openAdvert reads the form. An error with the code CodeInvalid is about the advert.
func openAdvert(r *http.Request) (*advertForm, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, page.ErrBadForm
	}

	form := &advertForm{}
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err != nil {
			return nil, uploadError(err)
		}
		if err := form.add(part); err != nil {
			return nil, err
		}
	}
}

// add adds a field of the form.
func (f *advertForm) add(part *multipart.Part) error {
	switch part.FormName() {
	case "advert":
		text, err := io.ReadAll(io.LimitReader(part, page.MaxMatchForm+1))
		switch {
		case err != nil:
			return uploadError(err)
		case len(text) > page.MaxMatchForm:
			return invalidAdvert("The advert is too long. Paste up to 20,000 characters of it.")
		case !page.IsText(string(text)):
			return page.ErrBadForm
		}
		f.text = strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
		return nil

	case "file":
		if part.FileName() == "" {
			return nil // no file was chosen
		}
		file, err := io.ReadAll(io.LimitReader(part, resume.MaxFile+1))
		switch {
		case err != nil:
			return uploadError(err)
		case len(file) > resume.MaxFile:
			return invalidAdvert("The file is larger than 10 MiB. Choose a smaller one.")
		}
		f.file = file
		return nil

	default:
		return page.ErrBadForm
	}
}

func invalidAdvert(message string) error {
	return &matching.Error{Code: matching.CodeInvalid, Message: message}
}

// advertText returns the text of an advert, cut to the length of a description, and how many characters were left out.
func (h *matchHandler) advertText(ctx context.Context, f *advertForm) (text string, omitted int, err error) {
	switch {
	case f.text != "" && f.file != nil:
		return "", 0, invalidAdvert("Paste the advert or choose a file, not both.")
	case f.file != nil:
		read, err := h.Documents.Text(ctx, f.file, wire.MaxDescription)
		return read.Text, read.Omitted, err
	case f.text == "":
		return "", 0, invalidAdvert("Paste the advert, or choose a file.")
	}

	n := utf8.RuneCountInString(f.text)
	if n <= wire.MaxDescription {
		return f.text, 0, nil
	}
	return string([]rune(f.text)[:wire.MaxDescription]), n - wire.MaxDescription, nil
}

// rejectAdvert shows the form again with what is wrong with the advert. Other errors become pages of their own.
func (h *matchHandler) rejectAdvert(v *page.Visit, text string, err error) error {
	fault, ok := errors.AsType[*matching.Error](err)
	if !ok || fault.Code == matching.CodeInternal {
		return err
	}

	p, view, err := h.matchPage(v, url.Values{"limit": {defaultLimit}, "advert": {text}})
	if err != nil {
		return err
	}
	view.AdvertFault = fault.Message
	p.Data = view
	return v.Show(http.StatusUnprocessableEntity, p)
}

// editProposals changes the form as the button of a proposal says, and shows it again. Nothing is searched.
func (h *matchHandler) editProposals(v *page.Visit) error {
	applyButtons(v)
	form := v.Request.PostForm
	if utf8.RuneCountInString(form.Get("description")) > wire.MaxDescription {
		return v.Redirect(page.Root + "/playground")
	}
	return h.showProposals(v, form, 0)
}

// showProposals shows the form of a brief with what its description says. The first time, the form has nothing else,
// and takes over what was read.
func (h *matchHandler) showProposals(v *page.Visit, form url.Values, omitted int) error {
	ctx, cancel := context.WithTimeout(v.Context(), advertTime)
	defer cancel()
	advert, err := h.Matcher.Read(ctx, form.Get("description"))
	if err != nil {
		return err
	}

	isFirst := !v.Request.PostForm.Has("description")
	if isFirst {
		data, _ := h.Currencies(v.Context())
		fillIn(form, advert, data)
	}

	p, view, err := h.matchPage(v, form)
	if err != nil {
		return err
	}
	view.Proposals = newProposals(form, advert, view.Currencies.Data, omitted)
	p.Data = view
	return v.OK(p)
}

// fillIn sets the fields of a form to what an advert says. Skills that the text excludes stay out: their words are
// left out of the search, while a filter would exclude everybody who has them.
func fillIn(form url.Values, advert *match.Advert, dataCurrency string) {
	set := func(field, text string) {
		if text != "" {
			form.Set(field, text)
		}
	}
	set("job_title", advert.Title)
	set("required_skills", joinFitting(advert.RequiredSkills))
	set("nice_to_have_skills", joinFitting(advert.NiceToHaveSkills))

	if b := advert.Budget; b.High > 0 {
		if b.Low > 0 {
			set("budget_low", plainNumber(b.Low))
		}
		set("budget_high", plainNumber(b.High))
		set("budget_type", string(matching.BudgetFixed))
		if b.Hourly {
			set("budget_type", string(matching.BudgetHourly))
		}
		if b.Currency != dataCurrency {
			set("currency", b.Currency)
		}
	}

	if advert.Days.Known {
		set("timeline", strconv.Itoa(advert.Days.Value))
	}
	if advert.StartDay.Known {
		set("start_date", matching.Date(advert.StartDay.Value))
	}
	for i := range advert.Filters {
		if advert.Filters[i].Filter == "exclude_skills" {
			continue
		}
		for field, values := range suggestedForm(&advert.Filters[i]) {
			set(field, values[0])
		}
	}
}

// joinFitting returns the skills that a field can hold, as the field holds them.
func joinFitting(skills []string) string {
	var fitting []string
	for _, skill := range skills {
		if fits(skill) {
			fitting = append(fitting, skill)
		}
	}
	return strings.Join(fitting, ", ")
}

// suggestedForm returns the form fields of a suggested filter, or none if the form lacks it.
func suggestedForm(s *matching.SuggestedFilter) url.Values {
	use, err := json.Marshal(map[string]any{s.Filter: s.Value})
	if err != nil {
		return nil
	}
	return filterForm(string(use))
}

// proposalsView is what was read in an advert, beside the form that has it.
type proposalsView struct {
	Groups   []proposalGroup
	Excluded []assumedChip // skills that the text doesn't want
	Because  []string      // the words that exclude them
	Omitted  string        // a sentence about the end of the advert that was left out; "" for none
}

// proposalGroup is one field of the form and what it has.
type proposalGroup struct {
	Title string
	Field string // ID of the field, in which to edit
	Chips []assumedChip
}

// newProposals returns what the fields of a form have, and what the advert excludes.
func newProposals(form url.Values, advert *match.Advert, dataCurrency string, omitted int) *proposalsView {
	view := &proposalsView{}
	if omitted > 0 {
		view.Omitted = fmt.Sprintf("A description has up to 20,000 characters. The last %s of the advert were left out.",
			page.Decimal(0, float64(omitted)))
	}

	// one is a field with one value, and the fields that belong to it.
	one := func(title, label, field string, others ...string) {
		if form.Get(field) == "" {
			return
		}
		pairs := []string{field, ""}
		for _, other := range others {
			pairs = append(pairs, other, "")
		}
		chip := assumedChip{Label: label}
		chip.add("×", "remove "+title+": "+label, pairs...)
		view.Groups = append(view.Groups, proposalGroup{title, field, []assumedChip{chip}})
	}
	many := func(title, field string) {
		list := page.SplitList(form.Get(field))
		var chips []assumedChip
		for _, item := range list {
			chip := assumedChip{Label: item}
			if field == "countries" {
				chip.Label = page.CountryName(item)
			}
			chip.add("×", "remove "+chip.Label, field, without(list, item))
			chips = append(chips, chip)
		}
		if chips != nil {
			view.Groups = append(view.Groups, proposalGroup{title, field, chips})
		}
	}

	one("Title", form.Get("job_title"), "job_title")
	many("Required skills", "required_skills")
	many("Nice to have", "nice_to_have_skills")
	one("Budget", budgetLabel(form, dataCurrency), "budget_high", "budget_low", "budget_type", "currency")
	one("Time", form.Get("timeline")+" days", "timeline")
	one("Start", form.Get("start_date"), "start_date")
	many("Place", "countries")
	many("Language", "languages")
	one("Time zone", "within "+form.Get("within_hours")+" h of "+form.Get("time_zone"), "time_zone", "within_hours")
	many("Excluded skills", "exclude_skills")

	view.exclude(form, advert)
	return view
}

// exclude adds the skills that the advert excludes and the form has nowhere.
func (p *proposalsView) exclude(form url.Values, advert *match.Advert) {
	set := page.SplitList(form.Get("exclude_skills"))
	for i := range advert.Filters {
		filter := &advert.Filters[i]
		if filter.Filter != "exclude_skills" {
			continue
		}
		p.Because = filter.Because
		for _, skill := range page.SplitList(suggestedForm(filter).Get("exclude_skills")) {
			chip := assumedChip{Label: "not " + skill}
			if all := with(set, skill); all != strings.Join(set, ", ") {
				chip.add("Exclude people with it", "exclude people with "+skill, "exclude_skills", all)
				p.Excluded = append(p.Excluded, chip)
			}
		}
	}
}

// budgetLabel returns the budget of a form in words.
func budgetLabel(form url.Values, dataCurrency string) string {
	label := form.Get("budget_high")
	if low := form.Get("budget_low"); low != "" {
		label = low + "–" + label
	} else {
		label = "up to " + label
	}
	unit := map[string]string{"fixed": "in all", "hourly": "an hour"}[form.Get("budget_type")]
	return strings.Join(strings.Fields(label+" "+cmp.Or(form.Get("currency"), dataCurrency)+" "+unit), " ")
}
