package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A corpusCase is an awkward input and the outcome that a person expects of it. The outcomes were written down before
// the program ran on the files. All people are invented.
type corpusCase struct {
	name  string // what is awkward
	live  string // CSV that is loaded first, if any
	files files
	args  string // the command, in which file names stand for their paths; by default "load" with all files
	stdin string
	want  outcome
	long  bool // takes seconds; skipped with -short
}

// files holds names and contents in turn.
type files []string

// An outcome is what should happen: either these freelancers are live afterwards, or the command fails and changes
// nothing.
type outcome struct {
	refused      bool
	freelancers  int       // number that must be live
	facts        []string  // "name: field=value; field=value", each about another freelancer
	absent       []string  // names that nobody may have
	texts        []string  // that the output must contain, in any case
	alternatives []outcome // equally good outcomes
}

// loads expects n freelancers to be live, among them those with the facts.
func loads(n int, facts ...string) outcome { return outcome{freelancers: n, facts: facts} }

// refuses expects the command to fail with these texts in its output.
func refuses(texts ...string) outcome { return outcome{refused: true, texts: texts} }

// saying adds texts that the output must contain.
func (o outcome) saying(texts ...string) outcome {
	o.texts = append(slices.Clone(o.texts), texts...)
	return o
}

// without adds names that nobody may have.
func (o outcome) without(names ...string) outcome {
	o.absent = append(slices.Clone(o.absent), names...)
	return o
}

// or accepts another outcome as well.
func (o outcome) or(other outcome) outcome {
	o.alternatives = append(slices.Clone(o.alternatives), other)
	return o
}

// TestCorpus gives awkward files to the program, as a user would, and compares what is live afterwards with what a
// person expects. The cases are in corpus_*_test.go, by topic. Nobody tuned the program on the unseen topics.
// testdata/corpus_pending.txt names the cases that can't pass yet, and why.
func TestCorpus(t *testing.T) {
	t.Parallel()
	seen := map[string][]corpusCase{
		"identity":    identityCases(),
		"guards":      guardCases(),
		"columns":     columnCases(),
		"languages":   languageCases(),
		"values":      valueCases(),
		"currency":    currencyCases(),
		"where":       whereCases(),
		"changes":     changeCases(),
		"text":        textCases(),
		"json":        jsonCases(),
		"compression": compressionCases(t),
		"workbooks":   workbookCases(t),
		"exports":     exportCases(),
	}

	unseen := map[string][]corpusCase{
		"damage":        damageCases(),
		"numbers":       numberCases(),
		"scripts":       scriptCases(),
		"leftovers":     leftoverCases(),
		"odd workbooks": oddWorkbookCases(t),
	}

	pending := make(map[string]string)
	for _, line := range lines(t, filepath.Join("testdata", "corpus_pending.txt")) {
		if name, reason, ok := strings.Cut(line, ": "); ok {
			pending[name] = reason
		}
	}

	for _, group := range []map[string][]corpusCase{seen, unseen} {
		for _, topic := range slices.Sorted(maps.Keys(group)) {
			for i, c := range group[topic] {
				if testing.Short() && i%10 != 0 { // as with the race detector, which takes ten times as long
					delete(pending, topic+"/"+c.name)
					continue
				}

				name := topic + "/" + c.name
				reason := pending[name]
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					c.run(t, reason)
				})

				delete(pending, name)
			}
		}
	}

	for name := range pending {
		t.Errorf("corpus_pending.txt: there is no case %q", name)
	}
}

// run runs the case, and fails the test if no expected outcome occurred. A pending case is skipped instead.
func (c *corpusCase) run(t *testing.T, pending string) {
	t.Helper()
	if c.long && testing.Short() {
		t.Skip("takes seconds")
	}
	s := newSession(t)

	if c.live != "" {
		s.must("load", s.file("live.csv", c.live))
	}
	before := s.live()
	paths := make(map[string]string)
	var names []string
	for file := range slices.Chunk(c.files, 2) {
		names = append(names, file[0])
		paths[file[0]] = s.file(file[0], file[1])
	}

	command := append([]string{"load"}, names...)
	if c.args != "" {
		words := csv.NewReader(strings.NewReader(c.args)) // an argument with blanks is quoted
		words.Comma = ' '
		var err error
		if command, err = words.Read(); err != nil {
			t.Fatal(err)
		}
	}

	for i, arg := range command {
		if path, ok := paths[arg]; ok {
			command[i] = path
		}
	}

	code, stdout, stderr := s.run(c.stdin, command...)
	output := stdout + stderr
	after := s.live()
	var problems []string
	for _, want := range append([]outcome{c.want}, c.want.alternatives...) {
		found := want.check(code, output, before, after)
		if len(found) == 0 {
			if pending != "" {
				t.Log("passes: remove the line from corpus_pending.txt")
			}
			return
		}

		problems = append(problems, strings.Join(found, "\n"))
	}

	if pending != "" {
		t.Skipf("pending: %s\n%s", pending, strings.Join(problems, "\nor\n"))
	}
	t.Errorf("%s\nexit code %d\n%s\nlive: %s", strings.Join(problems, "\nor\n"), code, output, summary(after))
}

// live returns the freelancers of the live index, as exported, or nil if there is none.
func (s *session) live() []map[string]any {
	s.t.Helper()
	path := filepath.Join(s.files, "export-of-live.ndjson")
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	if code, _, _ := s.runContext(context.WithoutCancel(s.t.Context()), "", "export", "-o", path); code != 0 {
		return nil
	}
	var all []map[string]any
	for _, line := range lines(s.t, path) {
		var freelancer map[string]any
		if err := json.Unmarshal([]byte(line), &freelancer); err != nil {
			s.t.Fatal(err)
		}
		all = append(all, freelancer)
	}
	return all
}

// check compares what happened with the outcome and returns what differs.
func (o *outcome) check(code int, output string, before, after []map[string]any) (problems []string) {
	fail := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if o.refused {
		if code != 1 {
			fail("exit code %d, want 1", code)
		}
		if len(before) != len(after) {
			fail("%d freelancers are live, %d were before", len(after), len(before))
		}
	} else {
		if code != 0 {
			fail("exit code %d, want 0", code)
		}
		if len(after) != o.freelancers {
			fail("%d freelancers are live, want %d", len(after), o.freelancers)
		}
	}

	for _, text := range o.texts {
		if !strings.Contains(strings.ToLower(output), strings.ToLower(text)) {
			fail("want %q in the output", text)
		}
	}

	for _, name := range o.absent {
		if slices.ContainsFunc(after, func(f map[string]any) bool { return f["name"] == name }) {
			fail("%q is live", name)
		}
	}

	left := slices.Clone(after)
	for _, fact := range o.facts {
		i := slices.IndexFunc(left, func(f map[string]any) bool { return hasFacts(f, fact) })
		if i < 0 {
			fail("want %s", fact)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}

	return problems
}

// hasFacts reports whether an exported freelancer has all facts of "name: field=value; field!=value". Values are
// compared as numbers, flags, lists separated by bars, or texts; "unknown" is a missing value.
func hasFacts(freelancer map[string]any, text string) bool {
	name, facts, _ := strings.Cut(text, ": ")
	if freelancer["name"] != name {
		return false
	}
	for fact := range strings.SplitSeq(facts, "; ") {
		field, want, ok := strings.Cut(fact, "=")
		if !ok {
			continue
		}
		field, negated := strings.CutSuffix(field, "!")
		if equalsFact(freelancer[field], want) == negated {
			return false
		}
	}
	return true
}

func equalsFact(value any, want string) bool {
	switch value := value.(type) {
	case nil:
		return want == "unknown"
	case bool:
		return want == map[bool]string{true: "yes", false: "no"}[value]
	case float64:
		var number float64
		_, err := fmt.Sscanf(want, "%g", &number)
		return err == nil && math.Abs(value-number) < 1e-6

	case []any:
		var got []string
		for _, element := range value {
			got = append(got, strings.ToLower(fmt.Sprint(element)))
		}
		expected := strings.Split(strings.ToLower(want), "|")
		slices.Sort(got)
		slices.Sort(expected)
		return slices.Equal(got, expected) || len(got) == 0 && want == "unknown"

	default:
		return fmt.Sprint(value) == want || value == "" && want == "unknown"
	}
}

// summary describes at most ten freelancers.
func summary(all []map[string]any) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d freelancers", len(all))
	for _, f := range all[:min(len(all), 10)] {
		line, _ := json.Marshal(f)
		fmt.Fprintf(&b, "\n%.600s", line)
	}
	return b.String()
}

// invented returns n people who exist nowhere: name, title, skills, rate and rating, all different from the next.
func invented(n int) [][5]string {
	first := strings.Fields("Mira Oren Talia Bruno Senna Ilka Davor Yara Pelle Noor Kaito Liv Enzo Zofia Ravi Aino")
	middle := strings.Fields("Ba Ke Li Mo Nu Pra Que Ro Su Tri Va Wen Xo Yl Zi")
	last := strings.Fields("den vask lund moor tova reth sari dor kel nim pour wick zan hollo")
	titles := strings.Fields("Go_developer Illustrator Copywriter Translator Data_analyst Bookkeeper Video_editor")
	skills := strings.Fields("Go|PostgreSQL Illustration|Figma Copywriting|SEO Translation Python|SQL Accounting Editing")
	people := make([][5]string, n)
	for i := range people {
		k := i / len(first)
		name := first[i%len(first)] + " " + middle[k%len(middle)] + last[k/len(middle)%len(last)]
		if round := k / len(middle) / len(last); round > 0 {
			name += fmt.Sprintf(" the %dth", round)
		}
		people[i] = [5]string{
			name, strings.ReplaceAll(titles[i%len(titles)], "_", " "), strings.ReplaceAll(skills[i%len(skills)], "|", ", "),
			fmt.Sprint(20 + i%60), fmt.Sprintf("%.1f", 3+float64(i%20)/10),
		}
	}
	return people
}

// inventedCSV returns n invented people with ids as CSV. change, if given, may alter the cells of a row.
func inventedCSV(n int, change ...func(i int, cells []string)) string {
	var b strings.Builder
	b.WriteString("id,name,job_title,skills,hourly_rate,rating\n")
	for i, p := range invented(n) {
		cells := []string{fmt.Sprintf("p%d", i), p[0], p[1], `"` + p[2] + `"`, p[3], p[4]}
		for _, f := range change {
			f(i, cells)
		}
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	return b.String()
}
