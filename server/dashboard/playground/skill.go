package playground

import (
	"net/url"
	"strings"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A skillHandler serves the playground for keywords.
type skillHandler struct{ *client }

const verifySkillPath = "/api/v1/verify-skill"

// skillView is the playground for keywords.
type skillView struct {
	playgroundView
	Keyword string
	Answer  wire.VerifySkillAnswer
}

// Sources returns a description for each place where a keyword can be found.
func (skillView) Sources() map[string]string {
	return map[string]string{
		matching.SourceTaxonomy: "in the taxonomy",
		matching.SourceIndex:    "only in freelancers' profiles",
		matching.SourceLLM:      "according to a language model",
	}
}

// NoVerdictReasons returns a sentence for each reason why a language model gave no verdict.
func (skillView) NoVerdictReasons() map[string]string {
	return map[string]string{
		matching.NoVerdictLimit:  "The language model was not asked: the account has reached its daily limit.",
		matching.NoVerdictFailed: "The language model did not answer in time. Try again later.",
	}
}

func (h *skillHandler) skillPage(v *page.Visit, form url.Values) (page.Page, skillView, error) {
	shared, err := h.playgroundView(v, results.Skill)
	view := skillView{playgroundView: shared}
	p := page.Page{Template: "skill", Title: "Playground: skills", Section: "playground", Form: form, Data: view}
	return p, view, err
}

func (h *skillHandler) showSkillForm(v *page.Visit) error {
	form := url.Values{}
	if v.Request.FormValue("sample") != "" {
		form.Set("keyword", "Javascritp")
	}
	p, _, err := h.skillPage(v, form)
	if err != nil {
		return err
	}
	return v.OK(p)
}

// playSkill sends the keyword in the form to the API.
func (h *skillHandler) playSkill(v *page.Visit) error {
	keyword := v.Value("keyword")
	return h.play(v, call{
		kind: results.Skill, title: keyword, path: verifySkillPath, body: wire.VerifySkillRequest{Keyword: keyword},
	})
}

// skillResult returns the page of an answer about a keyword.
func (h *skillHandler) skillResult(v *page.Visit, r *results.Result) (page.Page, error) {
	p, view, err := h.skillPage(v, r.Form)
	if err != nil {
		return p, err
	}
	view.Keyword = strings.TrimSpace(r.Form.Get("keyword"))
	err = view.load(h.client, r, &view.Answer)
	p.Data = view
	p.Faults = view.faults
	return p, err
}
