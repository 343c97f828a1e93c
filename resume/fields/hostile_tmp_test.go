package fields

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"freelancer-matching/resume"
)

func TestHostileTmp(t *testing.T) {
	e := newExtractor(t)
	const total = 1 << 20
	fill := func(s string, n int) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	for name, unit := range map[string]string{
		"dates": "2019-01 - 2020-02 ", "emails": "a@b.co ", "urls": "https://x.io/a ", "skills": "React, Go, Kubernetes, SQL, C++, ",
		"words": "Senior Software Engineer at Acme ", "caps": "EXPERIENCE SKILLS EDUCATION ", "dots": "......", "digits": "+49 30 1234567 ",
		"tabs": "a\tb\t", "brackets": "(((((", "cjk": "日本語職務経歴書", "colon": "Name: x; Phone: y; ", "letters":"aaaaaaaaaaaa", "comma": "Berlin, Germany, ", "hyphen":"a-b-", "langs": "English (C1), German, French native, ",
	} {
		for _, lineLen := range []int{20, 60, 200, 2000, 16384, total} {
			var doc resume.Document
			n := total / lineLen
			if n > 20000 { n = 20000 }
			for i := range n {
				text := fill(unit, lineLen)
				doc.Lines = append(doc.Lines, resume.Line{Text: text, Bold: i%2 == 0, Size: 10})
			}
			start := time.Now()
			e.Extract(doc)
			if d := time.Since(start); d > 300*time.Millisecond {
				fmt.Printf("%-10s %8d x %6d: %s\n", name, lineLen, n, d.Round(time.Millisecond))
			}
		}
	}
}
