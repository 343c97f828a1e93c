package bank

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/interview"
)

// The signs at the beginning of the lines of a topic. A file of topics looks like this:
//
//	== react-state = React
//	T easy How do you decide where state lives[ in {deliverable}]?
//	= A good answer, in two or three sentences.
//	- A point that a complete answer covers | cue; another cue
//	1 A typical answer at level 1 (followed by 3 and 5).
//	> A follow-up question.
//
//	S medium What would you do?
//	= A good answer to this question, and so on.
//
// The heading names the subject: skills such as "Recruiting; Executive Search", "category Design; 3D", "any", "gap" or
// "project". Categories may have exceptions: "category Security except GDPR; HIPAA". Each question begins with its kind
// and is followed by its rubric. Text in brackets is left out unless all its placeholders are known, and if it would
// repeat a word of the question. Only English texts have subjects and difficulties. Lines that begin with # are
// comments.
const (
	signHeading  = "=="
	signExpected = "="
	signPoint    = "-"
	signFollowUp = ">"
)

// The limits of a rubric.
const (
	minPoints = 3
	maxPoints = 6
)

// texts holds the text of a topic in one language.
type texts struct {
	about     string // only in English
	questions []question
}

// A question is a question with its rubric.
type question struct {
	kind       interview.Kind
	difficulty interview.Difficulty // only in English
	text       string
	expected   string
	points     []point
	anchors    []interview.Anchor
	followUps  []string
}

type point struct {
	text string
	cues []string
}

func (q *question) pointTexts() []string {
	all := make([]string, len(q.points))
	for i, p := range q.points {
		all[i] = p.text
	}
	return all
}

// question returns the question of a kind, or nil if there is none.
func (t *texts) question(kind interview.Kind) *question {
	i := slices.IndexFunc(t.questions, func(q question) bool { return q.kind == kind })
	if i < 0 {
		return nil
	}
	return &t.questions[i]
}

// languageOf returns the language with a code. ok is false if the analyzer does not support it.
func languageOf(code string) (l analysis.Language, ok bool) {
	for l = analysis.English; l <= analysis.Italian; l++ {
		if l.String() == code {
			return l, true
		}
	}
	return 0, false
}

func readEdition(files fs.FS, code string) (*edition, error) {
	language, ok := languageOf(code)
	if !ok {
		return nil, fmt.Errorf("folder %q is not the code of a supported language", code)
	}
	e := &edition{language: language, texts: make(map[string]*texts)}
	words, err := fs.ReadFile(files, path.Join(code, "words.txt"))
	if err != nil {
		return nil, err
	}
	if e.words, err = parseLexicon(string(words)); err != nil {
		return nil, fmt.Errorf("%s/words.txt: %w", code, err)
	}

	sentences, err := fs.ReadFile(files, path.Join(code, "phrases.txt"))
	if err != nil {
		return nil, err
	}
	if e.phrases, err = parsePhrases(string(sentences)); err != nil {
		return nil, fmt.Errorf("%s/phrases.txt: %w", code, err)
	}

	names, err := fs.Glob(files, code+"/topics/*.txt")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return e, nil // only answers can be in this language
	}

	brief, err := fs.ReadFile(files, path.Join(code, "brief.txt"))
	if err != nil {
		return nil, err
	}
	if e.brief, err = parseBriefWords(string(brief)); err != nil {
		return nil, fmt.Errorf("%s/brief.txt: %w", code, err)
	}

	for _, name := range names {
		file, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if err := e.parse(string(file), code == fallback); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}

	return e, nil
}

// parse adds the topics of a file.
func (e *edition) parse(file string, english bool) error {
	var id string
	var t *texts
	number := 0
	for line := range strings.Lines(file) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}

		sign, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)

		// A heading ends the topic before it, which must be complete.
		if sign == signHeading {
			if err := t.check(); err != nil {
				return fmt.Errorf("before line %d: topic %s: %w", number, id, err)
			}
			var about string
			id, about, _ = strings.Cut(rest, " = ")
			if _, twice := e.texts[id]; twice {
				return fmt.Errorf("line %d: duplicate topic %s", number, id)
			}

			t = &texts{about: about}
			e.texts[id] = t
			continue
		}

		if t == nil {
			return fmt.Errorf("line %d: a topic must begin with %q", number, signHeading)
		}
		if err := t.add(sign, rest, english); err != nil {
			return fmt.Errorf("line %d: topic %s: %w", number, id, err)
		}
	}

	if err := t.check(); err != nil {
		return fmt.Errorf("topic %s: %w", id, err)
	}

	return nil
}

// add adds one line of a topic.
func (t *texts) add(sign, rest string, english bool) error {
	switch sign {
	case "T", "S", "B":
		q := question{kind: kindOf(sign), text: rest}
		if english {
			word, text, _ := strings.Cut(rest, " ")
			q.difficulty, q.text = interview.Difficulty(word), strings.TrimSpace(text)
			if difficultyIndex(q.difficulty) < 0 {
				return fmt.Errorf("difficulty is %q, want easy, medium or hard", word)
			}
		}

		if t.question(q.kind) != nil {
			return fmt.Errorf("duplicate question of kind %s", q.kind)
		}
		if err := checkPlaceholders(q.text); err != nil {
			return err
		}

		t.questions = append(t.questions, q)
		return nil
	}

	if len(t.questions) == 0 {
		return fmt.Errorf("sign %q before the first question", sign)
	}

	return t.questions[len(t.questions)-1].add(sign, rest)
}

// add adds one line of a question's rubric.
func (q *question) add(sign, rest string) error {
	switch sign {
	case signExpected:
		q.expected = rest
	case signPoint:
		text, cues, _ := strings.Cut(rest, " | ")
		p := point{text: strings.TrimSpace(text)}
		for phrase := range strings.SplitSeq(cues, ";") {
			if phrase = strings.TrimSpace(phrase); phrase != "" {
				p.cues = append(p.cues, phrase)
			}
		}

		q.points = append(q.points, p)

	case "1", "3", "5":
		q.anchors = append(q.anchors, interview.Anchor{Level: int(sign[0] - '0'), Text: rest})
	case signFollowUp:
		if err := checkPlaceholders(rest); err != nil {
			return err
		}
		q.followUps = append(q.followUps, rest)

	default:
		return fmt.Errorf("unknown sign %q", sign)
	}

	return nil
}

// check returns an error if a topic is incomplete.
func (t *texts) check() error {
	if t == nil {
		return nil
	}
	if len(t.questions) == 0 {
		return errors.New("question missing")
	}
	for i := range t.questions {
		if err := t.questions[i].check(); err != nil {
			return fmt.Errorf("question %q: %w", t.questions[i].text, err)
		}
	}
	return nil
}

// check returns an error if the rubric of a question is incomplete.
func (q *question) check() error {
	hasLevel := func(a interview.Anchor, level int) bool { return a.Level == level }
	switch {
	case q.expected == "":
		return errors.New("expected answer missing")
	case len(q.points) < minPoints || len(q.points) > maxPoints:
		return fmt.Errorf("%d points, want %d to %d", len(q.points), minPoints, maxPoints)
	case !slices.EqualFunc(q.anchors, []int{1, 3, 5}, hasLevel):
		return errors.New("anchors must be of levels 1, 3 and 5, in this order")
	case len(q.followUps) == 0:
		return errors.New("follow-up question missing")
	}
	for _, p := range q.points {
		if strings.ContainsAny(p.text, "{[") || p.text == "" {
			return fmt.Errorf("point %q is empty or has placeholders", p.text)
		}
	}
	return nil
}

// kindOf returns the kind of question for a sign.
func kindOf(sign string) interview.Kind {
	switch sign {
	case "T":
		return interview.KnowHow
	case "S":
		return interview.Situational
	default:
		return interview.Behavioral
	}
}

// difficultyIndex returns the index of a difficulty in ascending order, or -1 for an unknown one.
func difficultyIndex(d interview.Difficulty) int {
	return slices.Index([]interview.Difficulty{interview.Easy, interview.Medium, interview.Hard}, d)
}

// phrases holds the sentences around questions and in feedback, by name.
type phrases map[string]string

// phraseNames returns the names of the phrases that every language must have.
func phraseNames() []string {
	return []string{
		"gap", "project", "titled project", "unnamed skill",
		"measured", "no points", "points", "covers", "lacks", "own work", "no own work", "result", "no result",
		"structured", "too short", "repetitive", "language", "off topic", "no answer", "no idea",
	}
}

func parsePhrases(file string) (phrases, error) {
	all := make(phrases)
	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, text, ok := strings.Cut(line, ": ")
		if !ok || !slices.Contains(phraseNames(), name) {
			return nil, fmt.Errorf("unknown phrase %q", line)
		}
		all[name] = strings.TrimSpace(text)
	}
	for _, name := range phraseNames() {
		if all[name] == "" {
			return nil, fmt.Errorf("phrase %q is missing", name)
		}
	}
	return all, nil
}

// with returns a phrase with its placeholders replaced. values holds pairs of a name in braces and its value.
func (p phrases) with(name string, values ...string) string {
	return strings.NewReplacer(values...).Replace(p[name])
}
