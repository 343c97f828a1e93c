package bank

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/interview"
)

// The signs that a line of a topic begins with. A file of topics looks so:
//
//	== react-state = React
//	T easy   A question about know-how, with {skill}, {other} or {project} in it.
//	S medium What would you do?
//	B hard   What did you do?
//	= A good answer, in two or three sentences.
//	- What a full answer covers | cue; another cue
//	1 What an answer at level 1 is like (then 3 and 5).
//	> A question to follow up.
//
// A heading says what the topic is about: the name of a skill, "category Design; 3D", "any", "gap" or "project". Other languages than English have neither that
// nor difficulties. Lines that begin with # are comments.
const (
	signHeading  = "=="
	signExpected = "="
	signPoint    = "-"
	signFollowUp = ">"
)

// The bounds of a rubric.
const (
	fewestPoints = 3
	mostPoints   = 6
)

// texts are a topic in one language, as its file has it.
type texts struct {
	about     string // of English
	questions []question
	expected  string
	points    []point
	anchors   []interview.Anchor
	followUps []string
}

type question struct {
	kind       interview.Kind
	difficulty interview.Difficulty // of English
	text       string
}

type point struct {
	text string
	cues []string
}

func (t *texts) pointTexts() []string {
	all := make([]string, len(t.points))
	for i, p := range t.points {
		all[i] = p.text
	}
	return all
}

// question is the text of the question of a kind.
func (t *texts) question(kind interview.Kind) (string, bool) {
	i := slices.IndexFunc(t.questions, func(q question) bool { return q.kind == kind })
	if i < 0 {
		return "", false
	}
	return t.questions[i].text, true
}

// languageOf is the language of a code, if its words can be stemmed.
func languageOf(code string) (analysis.Language, bool) {
	for l := analysis.English; l <= analysis.Italian; l++ {
		if l.String() == code {
			return l, true
		}
	}
	return 0, false
}

func readEdition(files fs.FS, code string) (*edition, error) {
	language, ok := languageOf(code)
	if !ok {
		return nil, fmt.Errorf("folder %q: no language that is analysed", code)
	}
	e := &edition{language: language, texts: make(map[string]*texts)}
	words, err := fs.ReadFile(files, path.Join(code, "words.txt"))
	if err != nil {
		return nil, err
	}
	if e.words, err = parseLexicon(string(words)); err != nil {
		return nil, fmt.Errorf("%s/words.txt: %w", code, err)
	}
	said, err := fs.ReadFile(files, path.Join(code, "phrases.txt"))
	if err != nil {
		return nil, err
	}
	if e.phrases, err = parsePhrases(string(said)); err != nil {
		return nil, fmt.Errorf("%s/phrases.txt: %w", code, err)
	}
	names, err := fs.Glob(files, code+"/topics/*.txt")
	if err != nil {
		return nil, err
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
		if sign == signHeading {
			if err := t.sound(); err != nil {
				return fmt.Errorf("line %d: topic %s before it: %w", number, id, err)
			}
			var about string
			id, about, _ = strings.Cut(rest, " = ")
			if _, twice := e.texts[id]; twice {
				return fmt.Errorf("line %d: topic %s is there twice", number, id)
			}
			t = &texts{about: about}
			e.texts[id] = t
			continue
		}
		if t == nil {
			return fmt.Errorf("line %d: a topic begins with %q", number, signHeading)
		}
		if err := t.add(sign, rest, english); err != nil {
			return fmt.Errorf("line %d: topic %s: %w", number, id, err)
		}
	}
	if err := t.sound(); err != nil {
		return fmt.Errorf("topic %s: %w", id, err)
	}
	return nil
}

// add takes one line of a topic.
func (t *texts) add(sign, rest string, english bool) error {
	switch sign {
	case "T", "S", "B":
		q := question{kind: kindOf(sign), text: rest}
		if english {
			word, text, _ := strings.Cut(rest, " ")
			q.difficulty, q.text = interview.Difficulty(word), strings.TrimSpace(text)
			if rung(q.difficulty) < 0 {
				return fmt.Errorf("difficulty %q: want easy, medium or hard", word)
			}
		}
		if _, twice := t.question(q.kind); twice {
			return fmt.Errorf("two questions of the kind %s", q.kind)
		}
		t.questions = append(t.questions, q)
	case signExpected:
		t.expected = rest
	case signPoint:
		text, cues, _ := strings.Cut(rest, " | ")
		p := point{text: strings.TrimSpace(text)}
		for phrase := range strings.SplitSeq(cues, ";") {
			if phrase = strings.TrimSpace(phrase); phrase != "" {
				p.cues = append(p.cues, phrase)
			}
		}
		t.points = append(t.points, p)
	case "1", "3", "5":
		t.anchors = append(t.anchors, interview.Anchor{Level: int(sign[0] - '0'), Text: rest})
	case signFollowUp:
		t.followUps = append(t.followUps, rest)
	default:
		return fmt.Errorf("no line begins with %q", sign)
	}
	return nil
}

// sound tells what a topic lacks.
func (t *texts) sound() error {
	if t == nil {
		return nil
	}
	switch {
	case len(t.questions) == 0:
		return errors.New("no question")
	case t.expected == "":
		return errors.New("no expected answer")
	case len(t.points) < fewestPoints || len(t.points) > mostPoints:
		return fmt.Errorf("%d points, want %d to %d", len(t.points), fewestPoints, mostPoints)
	case len(t.anchors) != 3 || t.anchors[0].Level != 1 || t.anchors[1].Level != 3 || t.anchors[2].Level != interview.BestLevel:
		return errors.New("want anchors of the levels 1, 3 and 5, in this order")
	case len(t.followUps) == 0:
		return errors.New("no question to follow up")
	}
	for _, p := range t.points {
		if strings.Contains(p.text, "{") || p.text == "" {
			return fmt.Errorf("point %q: want a text without names to fill in", p.text)
		}
	}
	return nil
}

// kindOf is the kind of question that a sign begins.
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

// rung is the place of a difficulty on the ladder, from 0; -1 of what is none.
func rung(d interview.Difficulty) int {
	return slices.Index([]interview.Difficulty{interview.Easy, interview.Medium, interview.Hard}, d)
}

// phrases are the sentences around questions and in feedback, by name.
type phrases map[string]string

// phraseNames are all phrases that a language needs.
func phraseNames() []string {
	return []string{
		"gap", "project", "titled project", "unnamed skill",
		"measured", "no points", "points", "words", "covers", "lacks", "own work", "no own work", "result", "no result",
		"structured", "too short", "repetitive", "language", "off topic", "no answer",
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
			return nil, fmt.Errorf("%q is no phrase that is used", line)
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

// with is a phrase with its values filled in: pairs of a name in braces and its value.
func (p phrases) with(name string, values ...string) string {
	return strings.NewReplacer(values...).Replace(p[name])
}
