package dashboard

import (
	"net/url"

	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api"
)

const verifySkillPath = "/api/v1/verify-skill"

// skillView is the playground for keywords.
type skillView struct {
	playgroundView
	Keyword string
	Answer  api.VerifySkillAnswer
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

func (d *dashboard) skillPage(v *visit, form url.Values) (page, skillView, error) {
	shared, err := d.playgroundView(v)
	view := skillView{playgroundView: shared}
	return page{Template: "skill", Title: "Playground: skills", Section: "playground", Form: form, Data: view}, view, err
}

func (d *dashboard) showSkillForm(v *visit) error {
	form := url.Values{}
	if v.r.FormValue("sample") != "" {
		form.Set("keyword", "Javascritp")
	}
	p, _, err := d.skillPage(v, form)
	if err != nil {
		return err
	}
	return d.ok(v, p)
}

// playSkill sends the keyword in the form to the API and shows the answer.
func (d *dashboard) playSkill(v *visit) error {
	p, view, err := d.skillPage(v, v.r.PostForm)
	if err != nil {
		return err
	}
	key, err := d.chosenKey(v)
	if err != nil {
		return err
	}
	view.Keyword = v.value("keyword")
	request := api.VerifySkillRequest{Keyword: view.Keyword}
	if err := d.postJSON(v, key, verifySkillPath, request, &view.playgroundView, &view.Answer); err != nil {
		return err
	}
	p.Data, p.Faults = view, view.faults
	return d.show(v, view.status, p)
}
