package docx_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An author writes random documents and remembers their visible words.
type author struct {
	random  *rand.Rand
	words   int
	visible []string
}

// word returns a new word, which the caller makes visible or not.
func (a *author) word(visible bool) string {
	a.words++
	word := fmt.Sprintf("w%d", a.words)
	if visible {
		a.visible = append(a.visible, word)
	}
	return word + " "
}

// run returns a run in random markup.
func (a *author) run(depth int) string {
	switch a.random.IntN(10) {
	case 0:
		return `<w:del w:id="1"><w:r><w:delText>` + a.word(false) + `</w:delText></w:r></w:del>`
	case 1:
		return formatted(`<w:vanish/>`, a.word(false))
	case 2:
		return `<w:ins w:id="1">` + t(a.word(true)) + `</w:ins>`
	case 3:
		return `<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>` + a.word(false) + `</w:instrText>` +
			`<w:fldChar w:fldCharType="separate"/></w:r>` + t(a.word(true)) + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	case 4:
		return `<w:sdt><w:sdtPr/><w:sdtContent>` + t(a.word(true)) + `</w:sdtContent></w:sdt><w:r><w:br/></w:r>`
	case 5:
		if depth < 3 {
			content := a.blocks(depth + 1)
			return `<w:r><mc:AlternateContent><mc:Choice Requires="wps">` + box("", "", content) + `</mc:Choice>` +
				`<mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>` + content +
				`</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`
		}
	}

	return t(a.word(true)) + `<w:r><w:tab/></w:r>`
}

// blocks returns random paragraphs and tables.
func (a *author) blocks(depth int) string {
	var b strings.Builder
	for range 1 + a.random.IntN(4) {
		if depth < 3 && a.random.IntN(4) == 0 {
			b.WriteString(`<w:tbl>`)
			for range 1 + a.random.IntN(3) {
				b.WriteString(`<w:tr>`)
				for range 1 + a.random.IntN(3) {
					fmt.Fprintf(&b, `<w:tc><w:tcPr><w:tcW w:w="%d"/></w:tcPr>%s</w:tc>`, 1+a.random.IntN(9), a.blocks(depth+1))
				}
				b.WriteString(`</w:tr>`)
			}

			b.WriteString(`</w:tbl>`)
			continue
		}

		runs := ""
		for range a.random.IntN(4) {
			runs += a.run(depth)
		}

		b.WriteString(p(runs))
	}

	return b.String()
}

// Every visible word is read exactly once, and no other word is.
func TestRead_VisibleWordsOnce(tt *testing.T) {
	for seed := range uint64(150) {
		a := &author{random: rand.New(rand.NewPCG(seed, 1))}
		a.word(true)
		body := p(t(a.visible[0])) + a.blocks(0)
		var got []string
		for _, line := range texts(mustRead(tt, bodyOf(body).file(tt))) {
			got = append(got, strings.Fields(line)...)
		}
		slices.Sort(got)
		slices.Sort(a.visible)
		if diff := cmp.Diff(a.visible, got); diff != "" {
			tt.Fatalf("seed %d: words (-want +got):\n%s\n%s", seed, diff, body)
		}
	}
}
