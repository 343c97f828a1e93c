package lexicon

import (
	"strings"

	"freelancer-matching/resume/wording"
)

// DivideLabels puts a wide gap before each label within a text, so that the value before it ends there: "Address: Leeds
// Phone: 7654321".
func (d *contactWords) DivideLabels(text string) string {
	if strings.Count(text, ":") < 2 {
		return text
	}
	words := strings.Split(text, " ")
	for i := len(words) - 1; i > 0; i-- {
		if strings.HasSuffix(words[i], ":") && d.Labels[wording.Key(words[i])] != "" {
			if d.Labels[wording.Key(words[i-1]+" "+words[i])] != "" && i > 1 {
				i--
			}
			words[i] = "\t" + words[i]
		}
	}
	return strings.Join(words, " ")
}

// Label returns what a text is a label of. Labels in scripts without spaces may have some: "氏 名".
func (d *contactWords) Label(text string) string {
	k := wording.Key(text)
	if wording.Wide(k) {
		if compact := strings.ReplaceAll(k, " ", ""); d.Labels[k] == "" {
			if d.Furigana[compact] {
				return "furigana"
			}
			return d.Labels[compact]
		}
	}
	return d.Labels[k]
}
