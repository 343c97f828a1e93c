package relevance

import (
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/realdata"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

var unseenRewordings = flag.Bool("unseen-rewordings", false, "run the rewordings that nothing was tuned on")

// A rewording writes a brief differently without changing what it means.
type rewording struct {
	name        string
	description func(string) string
	skills      func(string) string
}

// rewordings are the spellings that cleaning was built for.
var rewordings = []rewording{
	{name: "HTML paragraphs", description: paragraphs},
	{name: "HTML of an editor", description: func(d string) string {
		return `<div class="post"><style>p{color:red}</style><h2 style="font-weight:400">` +
			strings.ReplaceAll(html.EscapeString(d), "\n", "</h2><br/>\n<span>") + "&nbsp;</span></div><!-- end -->"
	}},
	{name: "HTML list", description: func(d string) string {
		first, rest, _ := strings.Cut(d, "\n")
		return "<p><strong>" + html.EscapeString(first) + "</strong></p>\n<ul>\n  <li>" +
			strings.ReplaceAll(html.EscapeString(rest), "\n", "</li>\n  <li>") + "</li>\n</ul>"
	}},
	{name: "escaped HTML", description: func(d string) string { return html.EscapeString(paragraphs(d)) }},
	{name: "entities", description: func(d string) string {
		return strings.NewReplacer("&", "&amp;", "'", "&#39;", "’", "&rsquo;", `"`, "&quot;", " ", "&nbsp;").Replace(d)
	}},
	{name: "Markdown", description: func(d string) string {
		first, rest, _ := strings.Cut(d, "\n")
		return "# **" + first + "**\n\n" + strings.ReplaceAll(rest, "\n", "\n* ")
	}},
	{name: "doubled spaces", description: doubled, skills: doubled},
	{name: "odd spaces", description: func(d string) string {
		return "\ufeff" + strings.NewReplacer(" ", "\u00a0", "\n", "\r\n", "e", "e\u200b").Replace(d)
	}, skills: func(s string) string { return "\u200b" + strings.ReplaceAll(s, " ", "\u2009") }},
	{name: "HTML in skills", skills: func(s string) string { return "<li>" + html.EscapeString(s) + "</li>" }},
	{name: "typo in each skill", skills: typo},
	{name: "doubled letter in each skill", skills: func(s string) string {
		return eachLong(s, func(w string, i int) string { return w[:i+1] + w[i:] })
	}},
	{name: "missing letter in each skill", skills: func(s string) string {
		return eachLong(s, func(w string, i int) string { return w[:i] + w[i+1:] })
	}},
	{name: "Hello everyone", description: before("Hello everyone,\n")},
	{name: "Hi there", description: before("Hi there! ")},
	{name: "Dear Hiring Manager", description: before("Dear Hiring Manager,\n\nI hope this message finds you " +
		"well.\n\n")},
	{name: "Good morning", description: before("Good morning dear freelancers,\nthank you for taking the time " +
		"to read this.\n")},
	{name: "hola", description: before("¡Hola a todos!\n")},
	{name: "Guten Tag", description: before("Guten Tag zusammen,\n")},
	{name: "Bonjour", description: before("Bonjour à tous,\n")},
	{name: "filler at the end", description: after("\nPlease feel free to contact me if you have any " +
		"questions. Thank you!")},
	{name: "looking forward", description: after("\n\nLooking forward to hearing from you.\nKind regards,\nAnna")},
	{name: "thanks in advance", description: after(" Thanks in advance for your time and consideration.")},
	{name: "budget talk", description: after("\nMy budget is around $500, but it is negotiable for the right person.")},
	{name: "signature", description: after("\n\nBest regards,\nMaria Keller\nHead of " +
		"Operations\nwww.example.com | +49 30 1234567\nmaria@example.com")},
	{name: "sent from my phone", description: after("\n\nThanks!\n--\nSent from my iPhone")},
	{name: "emoji bullets", description: func(d string) string {
		return "🚀 " + strings.ReplaceAll(d, "\n", "\n✅ ")
	}},
	{name: "repeated punctuation", description: func(d string) string {
		return strings.NewReplacer("!", "!!!", ". ", "... ", "?", "???").Replace(d)
	}},
	{name: "capitals", description: strings.ToUpper},
	{name: "lower case skills", skills: strings.ToLower},
}

// unseen are rewordings that were written before the cleaning and run only after it was finished.
var unseen = []rewording{
	{name: "HTML table", description: func(d string) string {
		return "<table border=0><tr><td>" + strings.ReplaceAll(html.EscapeString(d), "\n", "</td></tr>\n<tr><td>") +
			"</td></tr></table><script>var a = 1 < 2;</script>"
	}},
	{name: "unclosed tags", description: func(d string) string {
		return "<P ALIGN=center><FONT face=Arial>" + strings.ReplaceAll(d, "\n", "<BR>\n<P>")
	}},
	{name: "Markdown with rules", description: func(d string) string {
		first, rest, _ := strings.Cut(d, "\n")
		return "---\n### " + first + "\n---\n> " + strings.ReplaceAll(rest, "\n", "\n1. __") + "\n\n" +
			"[website](https://example.com/x)"
	}},
	{name: "thin spaces", description: func(d string) string {
		return strings.NewReplacer(" ", "\u2009\u200a", "a", "a\u00ad").Replace(d)
	}},
	{name: "greeting of two sentences", description: before("Hey guys! How are you doing today? I hope you are " +
		"all well.\n")},
	{name: "greetings team", description: before("Greetings, dear team!\n\n")},
	{name: "to whom", description: before("To whom it may concern:\n")},
	{name: "buenos dias", description: before("Buenos días a todos, espero que se encuentren bien.\n")},
	{name: "hallo", description: before("Hallo liebe Freelancer,\n")},
	{name: "boa tarde", description: before("Boa tarde pessoal, tudo bem?\n")},
	{name: "polite end", description: after("\nIf you are interested, please do not hesitate to reach out. " +
		"I look forward to working with you. Have a great day!")},
	{name: "long thanks", description: after("\n\nThank you so much for reading all the way to the end and for " +
		"considering " +
		"this project, we really appreciate your interest!")},
	{name: "application talk", description: after("\nPlease only apply if you are serious. Let me know your " +
		"price and when you can start. Cheers, Tom")},
	{name: "German end", description: after("\n\nVielen Dank im Voraus und mit freundlichen Grüßen\nSabine Meier")},
	{name: "Spanish end", description: after("\n\nMuchas gracias de antemano. Quedo atenta a sus " +
		"comentarios.\nSaludos cordiales")},
	{name: "budget at the end", description: after("\nThe budget for this job is USD 1,200 fixed, and there " +
		"may be more work in the future.")},
	{name: "swapped letters", skills: func(s string) string {
		return eachLong(s, func(w string, i int) string { return w[:i+1] + w[i+2:i+3] + w[i+1:i+2] + w[i+3:] })
	}},
}

func paragraphs(d string) string {
	return "<p>" + strings.ReplaceAll(html.EscapeString(d), "\n", "</p>\n<p>") + "</p>"
}

func before(text string) func(string) string { return func(d string) string { return text + d } }
func after(text string) func(string) string  { return func(d string) string { return d + text } }

func doubled(text string) string { return strings.ReplaceAll(text, " ", "  ") }

// typo swaps two letters in the middle of each skill.
func typo(skill string) string {
	return eachLong(skill, func(w string, i int) string { return w[:i] + w[i+1:i+2] + w[i:i+1] + w[i+2:] })
}

// eachLong changes the longest word of a skill at its middle, if the word has at least six plain letters.
func eachLong(skill string, change func(word string, middle int) string) string {
	words := strings.Split(skill, " ")
	longest := 0
	for i, w := range words {
		if len(w) > len(words[longest]) {
			longest = i
		}
	}
	w := words[longest]
	if len(w) < 6 || strings.ContainsFunc(w, func(r rune) bool { return r < 'A' || r > 'z' }) {
		return skill
	}
	i := len(w)/2 - 1
	for i+1 < len(w)-1 && w[i] == w[i+1] {
		i++
	}
	words[longest] = change(w, i)
	return strings.Join(words, " ")
}

func (v rewording) apply(body map[string]any) map[string]any {
	body = maps.Clone(body)
	if d, ok := body["description"].(string); ok && v.description != nil {
		body["description"] = v.description(d)
	}
	if list, ok := body["required_skills"].([]any); ok && v.skills != nil {
		changed := make([]any, len(list))
		for i, s := range list {
			changed[i] = v.skills(s.(string))
		}
		body["required_skills"] = changed
	}
	return body
}

// A brief must find the same first ten, however its text is marked up and whatever polite phrases surround it.
func TestRewordings_FirstTen(t *testing.T) {
	for _, set := range []struct{ name, folder string }{
		{"committed", committed},
		{"real", ""},
	} {
		t.Run(set.name, func(t *testing.T) {
			if set.folder == "" {
				realdata.Path(t, "relevance")
			}
			compareRewordings(t, set.folder)
		})
	}
}

func compareRewordings(t *testing.T, folder string) {
	const minOverlap = 9.8
	set, err := openJudgedSet(folder)
	if err != nil {
		t.Fatal(err)
	}

	s, err := start(t.Context(), set.freelancers, config.EncoderOff)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()

	all := rewordings
	if *unseenRewordings {
		all = unseen
	}

	for _, v := range all {
		t.Run(v.name, func(t *testing.T) {
			sum := 0.
			worst := []string(nil)
			for _, b := range set.briefs {
				n, of := overlap(t, s, b, v)
				share := 10 * float64(n) / float64(max(of, 1))
				sum += share
				if share < 10 {
					worst = append(worst, fmt.Sprintf("%s %.1f", b.ID, share))
				}
			}

			got := sum / float64(len(set.briefs))
			t.Logf("overlap %.2f; %s", got, strings.Join(worst, ", "))
			least := minOverlap
			if strings.HasPrefix(v.name, "missing letter") {
				least -= .2 // names as short as CapCut and Liquid stay unknown on purpose; see taxonomy.Correct
			}

			if got < least {
				t.Errorf("the first ten overlap by %.2f of 10, want at least %.1f", got, least)
			}
		})
	}
}

// overlap returns how many of the brief's first ten matches a variant finds among its own.
func overlap(t *testing.T, s *service, b eval.Brief, v rewording) (n, of int) {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(b.Body, &body); err != nil {
		t.Fatal(err)
	}

	for _, member := range []string{"budget_range", "budget_type", "complexity", "timeline"} {
		delete(body, member)
	}

	first := func(body map[string]any) (ids []string) {
		a, err := s.post(t.Context(), body)
		if err != nil {
			t.Fatal(err)
		}

		for _, m := range a.Matches {
			ids = append(ids, m.Freelancer.ID)
		}
		return ids
	}

	want := first(body)
	got := first(v.apply(body))
	for _, id := range want {
		if slices.Contains(got, id) {
			n++
		}
	}

	return n, len(want)
}
