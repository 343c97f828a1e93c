package bank

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/interview"
)

// A Judge measures answers by counting. It looks for words that indicate the points of a rubric, for details of the
// writer's own work, and for structure, but cannot tell whether an answer is right. Its marks therefore steer adaptive
// interviews and are compared with those of a model, but no reader sees their levels (ADR 0071). It is safe for
// concurrent use.
//
// Sentences that repeat the question, its rubric, the project or an earlier sentence do not count. Words beyond the
// length that a question needs do not raise the marks.
type Judge struct {
	bank        *Bank
	vectors     WordVectors
	frequencies func() map[analysis.Language]*frequency // computed for the first answer
}

// NewJudge returns a Judge that uses the cues of a bank's points. For other points, it looks for their words.
func NewJudge(b *Bank, vectors WordVectors) *Judge {
	return &Judge{bank: b, vectors: vectors, frequencies: sync.OnceValue(func() map[analysis.Language]*frequency {
		return frequencies(b)
	})}
}

// Name returns "offline".
func (j *Judge) Name() string { return Method }

// IsVerdict returns false.
func (j *Judge) IsVerdict() bool { return false }

// The thresholds of levels and remarks.
const (
	// The shares of covered points for levels 3, 4 and 5 of Technical. One covered point gives level 2, none gives level
	// 1.
	share3, share4, share5 = 0.33, 0.6, 0.8

	// The shares of the words that a question needs for levels 2, 3 and 4 of Communication. Level 5 also requires
	// structure.
	length2, length3, length4 = 0.4, 0.65, 0.9

	maxNamed = 150 // bytes of a covered point in the feedback

	minSaying    = 3  // sentences that say something in an answer with structure
	conciseWords = 25 // words that an answer needs that covers the points for level 5 of Technical

	rambling         = 45  // mean words per sentence from which an answer loses a level
	padding          = 0.5 // share of words in sentences with substance below which an answer loses a level
	repetitive       = 0.3 // share of repeated and copied words from which an answer loses a level
	tooShort         = 12  // words
	minSubstance     = 8   // words beyond "I don't know" that make an answer
	minRelated       = 2   // stems in common with question and rubric; an answer with fewer may be off topic
	minLanguageWords = 8   // words needed to detect the language
	hindered         = 2   // highest level of Communication in the wrong language or off topic
	vague            = 1   // highest level of Communication without a covered point
	partial          = 3   // highest level of Communication with level 2 or 3 of Technical
	secondhand       = 2   // highest level of Experience without the writer's own work
)

// Judge implements interview.Judge. It gives no marks to an answer in a language without a lexicon.
func (j *Judge) Judge(
	ctx context.Context, _ string, s *interview.Subject, q *interview.Question, answer string,
) (interview.Judgment, error) {
	if err := ctx.Err(); err != nil {
		return interview.Judgment{}, err
	}

	feedback := j.bank.phrases(s.Language)
	out := interview.Judgment{Question: q.ID}
	points := strings.Join(q.Points, "\n")
	followUps := strings.Join(q.FollowUps, "\n")
	all := j.read(answer, q.Text, q.Expected, points, followUps, s.Project)

	// The bank may have asked in another language than that of the interview. Answers may be in either.
	language, foreign := j.language(s, all)
	isExpected := language == "" || language == s.Language || language == j.askedIn(s, q)
	_, knowsLanguage := j.bank.editions[s.Language]
	isForeign := foreign && (knowsLanguage || s.Language == "")
	if isForeign || !isExpected {
		out.Remarks = append(out.Remarks, interview.RemarkLanguage)
	}
	e, ok := j.bank.editions[language]
	if !ok {
		e = j.bank.editions[j.bank.Language(s.Language)] // unknown language, or one without a lexicon
	}

	m := j.measure(q, all, e, j.topic(q, e.language))
	switch {
	case j.saysNothing(m, all):
		out.Remarks = []interview.Remark{interview.RemarkNoIdea}
		out.Marks = noMarks(q)
		out.Feedback = feedback["no idea"]
		return out, nil

	case m.words == 0:
		out.Marks = noMarks(q)
		out.Feedback = feedback["no answer"]
	case foreign || language != "" && !ok:
		out.Feedback = feedback["language"]
	default:
		j.mark(&out, m, q, feedback)
	}

	j.remark(&out, m, feedback)
	return out, nil
}

// noMarks returns marks of level interview.NoAnswer for all criteria of a question.
func noMarks(q *interview.Question) []interview.Mark {
	marks := []interview.Mark{{Criterion: interview.Technical}, {Criterion: interview.Communication}}
	if asksForExperience(q) {
		marks = append(marks, interview.Mark{Criterion: interview.Experience})
	}
	return marks
}

// asksForExperience reports whether the answer to a question is marked for details of the writer's own work.
func asksForExperience(q *interview.Question) bool {
	return q.Weights == nil || q.Weights[interview.Experience] > 0
}

// saysNothing reports whether an answer only says that the writer doesn't know. Short answers may say it in any
// language.
func (j *Judge) saysNothing(m *measure, all []sentence) bool {
	if len(m.covered()) > 0 || len(m.own) > 0 {
		return false
	}
	if m.ignorant && m.substance < minSubstance {
		return true
	}
	if m.all >= tooShort {
		return false
	}

	// A short answer may have too few words to detect its language, so all lexicons are tried.
	for _, code := range slices.Sorted(maps.Keys(j.bank.editions)) {
		e := j.bank.editions[code]
		isIgnorant := false
		substance := 0
		for i := range all {
			if e.words.blank.covers(all[i].words) {
				isIgnorant = true
				continue
			}

			if e.words.ignorance.in(all[i].words) {
				isIgnorant = true
			}
			substance += len(slices.Concat(e.words.known(all[i].clauses)...))
		}

		if isIgnorant && substance < minSubstance {
			return true
		}
	}

	return false
}

// mark adds the marks and the feedback for an answer that has words to count.
func (j *Judge) mark(out *interview.Judgment, m *measure, q *interview.Question, feedback phrases) {
	// An answer in another language has no words in common with the question, but may be on topic.
	isForeign := slices.Contains(out.Remarks, interview.RemarkLanguage)
	isUnrelated := len(m.covered()) == 0 && m.related < minRelated
	isOffTopic := isUnrelated && !isForeign && m.words >= tooShort
	if isOffTopic {
		out.Remarks = append(out.Remarks, interview.RemarkOffTopic)
	}

	if len(m.shows) > 0 {
		out.Marks = append(out.Marks, interview.Mark{
			Criterion: interview.Technical,
			Level:     technical(m.shown(), len(m.shows)),
			Evidence:  m.quote(m.shows, len(m.shows)),
		})
	}

	// An answer that isn't about the question communicates little, however well it is written.
	clarity := communication(m, q)
	if isOffTopic || isForeign {
		clarity = min(clarity, hindered)
	}

	if asksForExperience(q) {
		out.Marks = append(out.Marks, interview.Mark{
			Criterion: interview.Experience,
			Level:     experience(m),
			Evidence:  m.quote(slices.Concat(m.results, m.own, m.numbers, m.toolIn), 3),
		})
	}

	out.Marks = append(out.Marks, interview.Mark{
		Criterion: interview.Communication,
		Level:     clarity,
		Evidence:  m.quote(slices.Concat(m.situation, m.reasons, m.results), 2),
	})

	if len(q.Points) > 0 {
		out.Covered = m.covered()
	}
	j.comment(out, m, q, feedback)
}

// technical returns the level for a number of covered points.
func technical(covered, all int) int {
	share := float64(covered) / float64(all)
	switch {
	case share >= share5:
		return 5
	case share >= share4:
		return 4
	case share >= share3 && covered > 1:
		return 3
	case covered > 0:
		return 2
	default:
		return 1
	}
}

// experience returns the level for the signs of the writer's own work: up to three sentences about it, a number, a
// result, a specific situation, and two tools.
func experience(m *measure) int {
	signs := min(3, len(m.own))
	for _, has := range []bool{len(m.numbers) > 0, len(m.results) > 0, len(m.situation) > 0, m.tools >= 2} {
		if has {
			signs++
		}
	}
	level := [...]int{1, 1, 2, 3, 4, 5, 5, 5}[signs]
	if len(m.own) == 0 {
		return min(level, secondhand)
	}
	return level
}

// neededWords returns the words that an answer to a question needs. Telling what happened takes more than explaining
// what one knows.
func neededWords(q *interview.Question) int {
	need := [...]int{35, 45, 55}
	switch q.Kind {
	case interview.KnowHow:
		need = [...]int{25, 35, 45}
	case interview.Situational:
		need = [...]int{30, 40, 50}
	case interview.Behavioral:
	}
	switch q.Difficulty {
	case interview.Easy:
		return need[0]
	case interview.Hard:
		return need[2]
	case interview.Medium:
	}
	return need[1]
}

// communication returns the level for the length and the structure of an answer.
func communication(m *measure, q *interview.Question) int {
	need := neededWords(q)
	best := interview.BestLevel

	// A vague answer can't communicate well, and one that covers all points may be shorter.
	if len(m.shows) > 0 {
		switch technical(m.shown(), len(m.shows)) {
		case interview.BestLevel:
			need = min(need, conciseWords)
		case 3:
			best = partial
		case 2:
			if best = partial; float64(m.useful) < length3*float64(need) {
				best = vague
			}

		case 1:
			best = vague
		}
	}

	length := float64(m.useful) / float64(need)
	level := 1
	for _, minLength := range []float64{length2, length3, length4} {
		if length >= minLength {
			level++
		}
	}

	useful := float64(m.useful) / float64(max(1, m.all))
	isFull := level == interview.BestLevel-1 && useful >= padding
	if isFull && m.isStructured() {
		level++
	}
	level = min(level, best)

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

// isStructured reports whether an answer consists of several sentences that say something, with reasons or an order.
func (m *measure) isStructured() bool {
	n := 0
	for _, says := range m.says {
		if says {
			n++
		}
	}
	return n >= minSaying && len(m.reasons) > 0
}

// counted returns the number of sentences that count.
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

// quote returns up to n of the sentences with the given indexes, without duplicates and in the order of the answer.
func (m *measure) quote(indexes []int, n int) []string {
	var chosen []int
	for _, i := range indexes {
		isNew := i >= 0 && !slices.Contains(chosen, i)
		if isNew && len(chosen) < n {
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

// remark adds the remarks about length and repetition.
func (j *Judge) remark(out *interview.Judgment, m *measure, feedback phrases) {
	if m.words < tooShort {
		out.Remarks = append(out.Remarks, interview.RemarkTooShort)
		if m.words > 0 {
			out.Improvements = append(out.Improvements, feedback["too short"])
		}
	}
	if m.all > 0 && m.isRepetitive() {
		out.Remarks = append(out.Remarks, interview.RemarkRepetitive)
		out.Improvements = append(out.Improvements, feedback["repetitive"])
	}
}

// comment adds the feedback, strengths and improvements.
func (j *Judge) comment(out *interview.Judgment, m *measure, q *interview.Question, feedback phrases) {
	out.Feedback = feedback["no points"]
	if len(m.shows) > 0 {
		out.Feedback = feedback.with("points",
			"{covered}", strconv.Itoa(len(m.covered())), "{points}", strconv.Itoa(len(m.shows)))
	}

	var named []string
	for _, k := range out.Covered {
		named = append(named, prefix(q.Points[k], maxNamed))
	}

	if len(named) > 0 {
		out.Feedback = strings.TrimSuffix(out.Feedback, ".") + ": " + strings.Join(named, "; ") + "."
	}
	out.Feedback += " " + feedback["measured"]

	for k, p := range q.Points {
		if m.shows[k] >= 0 {
			out.Strengths = append(out.Strengths, feedback["covers"]+" "+p)
		} else {
			out.Improvements = append(out.Improvements, feedback["lacks"]+" "+p)
		}
	}

	note := func(good bool, strength, improvement string) {
		switch {
		case good:
			out.Strengths = append(out.Strengths, feedback[strength])
		case improvement != "":
			out.Improvements = append(out.Improvements, feedback[improvement])
		}
	}

	if asksForExperience(q) {
		note(len(m.own) > 0, "own work", "no own work")
		note(len(m.results) > 0, "result", "no result")
	}

	note(len(m.reasons) > 1, "structured", "")

	// The other remarks have got their improvements elsewhere, or need none.
	for _, r := range out.Remarks {
		switch r {
		case interview.RemarkOffTopic:
			out.Improvements = append(out.Improvements, feedback["off topic"])
		case interview.RemarkLanguage:
			out.Improvements = append(out.Improvements, feedback["language"])
		case interview.RemarkInstructions, interview.RemarkTooShort, interview.RemarkRepetitive,
			interview.RemarkQuotation, interview.RemarkNoIdea, interview.RemarkAboutMarks, interview.RemarkJudgesApart:
		}
	}
}

// topic returns the stems in a question and its rubric.
func (j *Judge) topic(q *interview.Question, l analysis.Language) map[string]bool {
	all := make(map[string]bool)
	for _, text := range append([]string{q.Text, q.Skill, q.Expected}, q.Points...) {
		for _, stem := range j.bank.analyzer.AppendStems(nil, text, l) {
			all[stem] = true
		}
	}
	return all
}

// askedIn returns the language of a question. The bank's own questions may not be in the requested language.
func (j *Judge) askedIn(s *interview.Subject, q *interview.Question) string {
	if q.By == Method || s.Language == "" {
		return j.bank.Language(s.Language)
	}
	return s.Language
}

// language returns the language of an answer, or "" if it cannot be detected. foreign reports whether it is certainly a
// language without a lexicon.
func (j *Judge) language(s *interview.Subject, all []sentence) (code string, foreign bool) {
	// Copied sentences are in the language of what they were copied from.
	var text strings.Builder
	n := 0 // words
	for i := range all {
		if all[i].copied {
			continue
		}
		text.WriteString(all[i].text)
		text.WriteByte('\n')
		n += len(all[i].words)
	}

	// All languages of the bank use the Latin script.
	latin := 0
	letters := 0
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
	if n < minLanguageWords {
		return "", false
	}

	// The analyzer takes languages that it doesn't know for English, so English needs evidence of its own.
	if l := j.bank.analyzer.Language(text.String()); l != analysis.English {
		return l.String(), false
	}

	english := 0
	for i := range all {
		english += j.bank.editions[fallback].words.function.count(all[i].words)
	}

	if 10*english >= n {
		return fallback, false
	}

	_, known := j.bank.editions[s.Language]
	return "", !known && s.Language != ""
}
