package dashboard

import (
	"bytes"
	"encoding/json"
	"net/url"

	"freelancer-matching/internal/matching"
)

const verifySkillPath = "/api/v1/verify-skill"

// skillView is the playground for words with the answer to what was sent last.
type skillView struct {
	sentView
	Keyword string
	Answer  skillAnswer
}

// skillAnswer is the answer of POST /verify-skill.
type skillAnswer struct {
	Data   matching.Verification `json:"data"`
	TookMS float64               `json:"took_ms"`
}

// Sources is where words are found, in the words of a reader.
func (skillView) Sources() map[string]string {
	return map[string]string{
		matching.SourceTaxonomy: "the taxonomy knows it", matching.SourceIndex: "only freelancers say it",
		matching.SourceLLM: "a language model says so",
	}
}

// Unheard is why a language model had no say, in the words of a reader.
func (skillView) Unheard() map[string]string {
	return map[string]string{
		matching.NoVerdictLimit:  "The language model was not asked: the account has had as many words judged today as it may.",
		matching.NoVerdictFailed: "The language model was asked and gave no verdict in time. Try again later.",
	}
}

func (d *dashboard) skillForm(v *visit, form url.Values) (page, error) {
	keys, err := d.playKeys(v)
	return page{
		Template: "skill", Title: "Playground: skills", Section: "playground", Form: form,
		Data: skillView{sentView: sentView{Keys: keys}},
	}, err
}

func (d *dashboard) skillPage(v *visit) error {
	form := url.Values{}
	if v.r.FormValue("sample") != "" {
		form.Set("keyword", "Javascritp")
	}
	p, err := d.skillForm(v, form)
	if err != nil {
		return err
	}
	return d.ok(v, p)
}

// playSkill sends the word of the form to the API as a client would, and shows the answer.
func (d *dashboard) playSkill(v *visit) error {
	p, err := d.skillForm(v, v.r.PostForm)
	if err != nil {
		return err
	}
	key, err := d.Keys.Get(v.r.Context(), v.account.ID, v.value("key"))
	if err != nil {
		return err
	}
	view, _ := p.Data.(skillView)
	view.Keyword = v.value("keyword")
	status, wrong, err := d.ask(v, key, verifySkillPath, encodeKeyword(view.Keyword), &view.sentView, &view.Answer)
	if err != nil {
		return err
	}
	p.Data, p.Faults = view, wrong
	return d.show(v, status, p)
}

// encodeKeyword is the body of a request.
func encodeKeyword(keyword string) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]string{"keyword": keyword}); err != nil {
		panic(err) // a text
	}
	return bytes.TrimSpace(text.Bytes())
}
