package bank

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/interview"
)

// Judge measures answers. It knows no right from wrong: it finds words that show the points of a rubric, particulars of own work, and
// structure. So its marks order answers, and are no verdict. It is safe for concurrent use.
//
// Sentences that repeat the question, its rubric, the project or an earlier sentence do not count. More words than a
// question needs earn nothing.
type Judge struct{ bank *Bank }

// NewJudge is a Judge that knows the cues of a bank's points. Of points that others wrote it looks for the words.
func NewJudge(b *Bank) *Judge { return &Judge{bank: b} }

// Name is "offline".
func (j *Judge) Name() string { return method }

// IsVerdict is false.
func (j *Judge) IsVerdict() bool { return false }

// Where levels begin.
const (
	// The share of the points that are shown, for the levels 3, 4 and 5 of Technical. One point gives 2, none 1.
	share3, share4, share5 = 0.4, 0.6, 0.8

	// The share of the words that a question needs, for the levels 2, 3 and 4 of Communication. 5 takes structure, too.
	length2, length3, length4 = 0.25, 0.5, 0.8

	easyWords, mediumWords, hardWords = 35, 50, 65 // that an answer needs, by difficulty

	rambling      = 45  // words in the mean sentence, from which a level is lost
	padding       = 0.5 // share of words that say something, below which a level is lost
	repetitive    = 0.3 // share of words that say again or copy, from which a level is lost
	tooShort      = 12  // words
	fewestRelated = 2   // words that an answer shares with its question and rubric; one with fewer, and no point, is off topic
	tellLanguage  = 8   // words of which the language can be told
	hindered      = 2   // best level of Communication in another language, or off topic
	secondhand    = 2   // best level of Experience without own work
)

// Judge implements interview.Judge. Where the language of an answer is one that it has no words for, no criterion has a mark.
func (j *Judge) Judge(
	ctx context.Context, _ string, s *interview.Subject, q *interview.Question, answer string,
) (interview.Judgment, error) {
	if err := ctx.Err(); err != nil {
		return interview.Judgment{}, err
	}
	said := j.bank.phrases(s.Language)
	out := interview.Judgment{Question: q.ID}
	all := j.read(answer, q.Text, q.Expected, strings.Join(q.Points, "\n"), strings.Join(q.FollowUps, "\n"), s.Project)

	language, foreign := j.language(s, all)
	if foreign || language != "" && language != s.Language && language != j.askedIn(s, q) {
		out.Remarks = append(out.Remarks, interview.RemarkLanguage)
	}
	e, ok := j.bank.editions[language]
	if !ok {
		e = j.bank.editions[j.bank.Language(s.Language)] // too short to tell, or a language that has no words here
	}
	m := j.measure(q, all, e, j.topic(q, e.language))
	switch {
	case m.words == 0:
		out.Marks = []interview.Mark{{Criterion: interview.Technical}, {Criterion: interview.Experience}, {Criterion: interview.Communication}}
		out.Feedback = said["no answer"]
	case foreign || language != "" && !ok:
		out.Feedback = said["language"]
	default:
		j.mark(&out, m, q, said)
	}
	j.remark(&out, m, said)
	return out, nil
}

// mark gives the marks of an answer that has something to count.
func (j *Judge) mark(out *interview.Judgment, m *measure, q *interview.Question, said phrases) {
	offTopic := len(m.covered()) == 0 && m.related < fewestRelated && m.words >= tooShort
	if offTopic {
		out.Remarks = append(out.Remarks, interview.RemarkOffTopic)
	}
	if len(m.shows) > 0 {
		out.Marks = append(out.Marks, interview.Mark{
			Criterion: interview.Technical, Level: technical(len(m.covered()), len(m.shows)), Evidence: m.quote(m.shows, len(m.shows)),
		})
	}
	clear := communication(m, q.Difficulty)
	if offTopic || slices.Contains(out.Remarks, interview.RemarkLanguage) {
		clear = min(clear, hindered)
	}
	out.Marks = append(out.Marks,
		interview.Mark{Criterion: interview.Experience, Level: experience(m), Evidence: m.quote(slices.Concat(m.results, m.own, m.numbers, m.toolIn), 3)},
		interview.Mark{Criterion: interview.Communication, Level: clear, Evidence: m.quote(slices.Concat(m.situation, m.reasons, m.results), 2)},
	)
	if len(q.Points) > 0 {
		out.Covered = m.covered()
	}
	j.tell(out, m, q, said)
}

// technical is the level of so many points of all.
func technical(covered, all int) int {
	share := float64(covered) / float64(all)
	switch {
	case share >= share5:
		return 5
	case share >= share4:
		return 4
	case share >= share3:
		return 3
	case covered > 0:
		return 2
	default:
		return 1
	}
}

// experience counts what tells of own work: one sentence about it, another one, a number, a result, one case, two tools.
func experience(m *measure) int {
	signs := min(2, len(m.own))
	for _, has := range []bool{len(m.numbers) > 0, len(m.results) > 0, len(m.situation) > 0, m.tools >= 2} {
		if has {
			signs++
		}
	}
	level := [...]int{1, 2, 3, 3, 4, 5, 5}[signs]
	if len(m.own) == 0 {
		return min(level, secondhand)
	}
	return level
}

// communication is how much of what the question needs is said, and how.
func communication(m *measure, d interview.Difficulty) int {
	need := mediumWords
	switch d {
	case interview.Easy:
		need = easyWords
	case interview.Hard:
		need = hardWords
	case interview.Medium:
	}
	length := float64(m.useful) / float64(need)
	level := 1
	for _, least := range []float64{length2, length3, length4} {
		if length >= least {
			level++
		}
	}
	useful := float64(m.useful) / float64(max(1, m.all))
	structured := len(m.reasons) > 0 && (len(m.reasons) > 1 || len(m.results) > 0 || len(m.situation) > 0)
	if level == 4 && structured && useful >= padding {
		level++
	}
	if useful < padding {
		level--
	}
	if m.isRepetitive() {
		level--
	}
	if m.words >= rambling*max(1, m.counted()) {
		level--
	}
	return max(1, level)
}

func (m *measure) counted() int {
	n := 0
	for i := range m.sentences {
		if m.sentences[i].counts() {
			n++
		}
	}
	return n
}

func (m *measure) isRepetitive() bool {
	return float64(m.repeated+m.copied) >= repetitive*float64(max(1, m.all))
}

// quote are up to n of the sentences with the given numbers, each once and in the order of the answer.
func (m *measure) quote(numbers []int, n int) []string {
	var chosen []int
	for _, i := range numbers {
		if i >= 0 && len(chosen) < n && !slices.Contains(chosen, i) {
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	var quotes []string
	for _, i := range chosen {
		quotes = append(quotes, m.sentences[i].evidence())
	}
	return quotes
}

// remark notes what a person should look at.
func (j *Judge) remark(out *interview.Judgment, m *measure, said phrases) {
	if m.words < tooShort {
		out.Remarks = append(out.Remarks, interview.RemarkTooShort)
		if m.words > 0 {
			out.Improvements = append(out.Improvements, said["too short"])
		}
	}
	if m.all > 0 && m.isRepetitive() {
		out.Remarks = append(out.Remarks, interview.RemarkRepetitive)
		out.Improvements = append(out.Improvements, said["repetitive"])
	}
}

// tell puts into words what was counted.
func (j *Judge) tell(out *interview.Judgment, m *measure, q *interview.Question, said phrases) {
	values := []string{
		"{covered}", strconv.Itoa(len(m.covered())), "{points}", strconv.Itoa(len(m.shows)), "{words}", strconv.Itoa(m.useful),
	}
	parts := []string{said["measured"]}
	if len(m.shows) > 0 {
		parts = append(parts, said.with("points", values...))
	} else {
		parts = append(parts, said["no points"])
	}
	out.Feedback = strings.Join(append(parts, said.with("words", values...)), " ")

	for k, p := range q.Points {
		if m.shows[k] >= 0 {
			out.Strengths = append(out.Strengths, said["covers"]+" "+p)
		} else {
			out.Improvements = append(out.Improvements, said["lacks"]+" "+p)
		}
	}
	note := func(good bool, strength, improvement string) {
		switch {
		case good:
			out.Strengths = append(out.Strengths, said[strength])
		case improvement != "":
			out.Improvements = append(out.Improvements, said[improvement])
		}
	}
	note(len(m.own) > 0, "own work", "no own work")
	note(len(m.results) > 0, "result", "no result")
	note(len(m.reasons) > 1, "structured", "")
	for _, r := range out.Remarks {
		switch r {
		case interview.RemarkOffTopic:
			out.Improvements = append(out.Improvements, said["off topic"])
		case interview.RemarkLanguage:
			out.Improvements = append(out.Improvements, said["language"])
		case interview.RemarkInstructions, interview.RemarkTooShort, interview.RemarkRepetitive, interview.RemarkQuotation:
		}
	}
}

// topic are the words of a question and its rubric.
func (j *Judge) topic(q *interview.Question, l analysis.Language) map[string]bool {
	all := make(map[string]bool)
	for _, text := range append([]string{q.Text, q.Skill, q.Expected}, q.Points...) {
		for _, stem := range j.bank.analyzer.AppendStems(nil, text, l) {
			all[stem] = true
		}
	}
	return all
}

// askedIn is the language of a question: that of the bank's own may be another than was asked for.
func (j *Judge) askedIn(s *interview.Subject, q *interview.Question) string {
	if q.By == method || s.Language == "" {
		return j.bank.Language(s.Language)
	}
	return s.Language
}

// language is the language of an answer, "" where it cannot be told, and whether it is one that the judge has no words for.
func (j *Judge) language(s *interview.Subject, all []sentence) (code string, foreign bool) {
	var text strings.Builder
	n, latin, letters := 0, 0, 0
	for i := range all {
		if all[i].copied {
			continue
		}
		text.WriteString(all[i].text)
		text.WriteByte('\n')
		n += len(all[i].words)
	}
	for _, r := range text.String() {
		if unicode.IsLetter(r) {
			letters++
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	if letters > 0 && 2*latin < letters {
		return "", true
	}
	if n < tellLanguage {
		return "", false
	}
	if l := j.bank.analyzer.Language(text.String()); l != analysis.English {
		return l.String(), false
	}
	english := 0
	for i := range all {
		english += count(j.bank.editions[fallback].words.function, all[i].words)
	}
	if 10*english >= n {
		return fallback, false
	}
	_, known := j.bank.editions[s.Language]
	return "", !known && s.Language != ""
}
