package skilljudge_test

import (
	"encoding/json"
	"errors"
	"flag"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
	"github.com/freelancer-matching/service/llm/skilljudge"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/taxonomy"
)

const (
	verdictTask = "skill-verdict"
	dimensions  = 3 // of the server's vectors, which no test here asks for
)

var update = flag.Bool("update", false, "rewrite golden files")

var loadTaxonomy = sync.OnceValues(taxonomy.Load)

func testTaxonomy(t testing.TB) *taxonomy.Taxonomy {
	t.Helper()
	loaded, err := loadTaxonomy()
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// newChat returns a Chat with s, and mostly default options.
func newChat(t testing.TB, s *llmtest.Server, change ...func(*llm.ChatOptions)) *llm.Chat {
	t.Helper()
	o := llm.ChatOptions{BaseURL: s.URL, Model: "words", Transport: s.Transport}
	for _, f := range change {
		f(&o)
	}
	c, err := llm.NewChat(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newSkillJudge(t testing.TB, s *llmtest.Server, change ...func(*llm.ChatOptions)) *skilljudge.Judge {
	t.Helper()
	j, err := skilljudge.New(newChat(t, s, change...), testTaxonomy(t))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// verdict is a verdict as a model writes it.
type verdict struct {
	Kind     string `json:"kind"`
	Sure     string `json:"sure"`
	Name     string `json:"name"`
	Category string `json:"category"`
	Near     []int  `json:"near"`
}

func TestSkillJudge_Judges(t *testing.T) {
	const by = "llm:words skill-verdict@2"
	tests := []struct {
		name, keyword string
		reply         verdict
		want          skills.Verdict
	}{
		{
			"a skill", "javascript weaving",
			verdict{"skill", "certain", "JavaScript  Weaving", "Web development", []int{1, 1}},
			skills.Verdict{Kind: matching.TypeSkill, Name: "JavaScript Weaving", Category: "Web development", Confidence: 0.7},
		},
		{
			"a job", "loom engineer",
			verdict{"job_title", "likely", "Loom Engineer", "other", []int{}},
			skills.Verdict{Kind: matching.TypeJobTitle, Name: "Loom Engineer", Confidence: 0.5},
		},
		{"neither", "hello there", verdict{"neither", "certain", "hello there", "other", []int{1}}, skills.Verdict{}},
		{"a guess", "flurbotronics", verdict{"skill", "unsure", "Flurbotronics", "other", []int{}}, skills.Verdict{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := llmtest.StartInMemory(t, dimensions)
			s.Play(verdictTask, llmtest.SayJSON(test.reply))
			j := newSkillJudge(t, s)
			got, err := j.Judge(t.Context(), "a1", test.keyword)
			if err != nil {
				t.Fatal(err)
			}

			if len(got.Near) > 1 {
				t.Errorf("got near %v, want each skill once", got.Near)
			}

			for _, id := range got.Near {
				if _, ok := testTaxonomy(t).Skill(id); !ok {
					t.Errorf("got near %q, which is not a skill", id)
				}
			}

			got.Near = nil
			test.want.Word = test.keyword
			test.want.By = by
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The model chooses from the categories of the taxonomy, and from the skills that it sees.
func TestSkillJudge_OffersCategoriesAndSkills(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play(verdictTask, llmtest.SayJSON(verdict{"skill", "certain", "PostgreSQL weaving", "Databases", []int{1}}))
	v, err := newSkillJudge(t, s).Judge(t.Context(), "a1", "postgresql weaving")
	if err != nil || !slices.Equal(v.Near, []string{"postgresql"}) {
		t.Errorf("got near %v, %v", v.Near, err)
	}

	r := s.ChatRequests()[0]
	if user := r.Messages[1].Content; !strings.Contains(user, "\n1: PostgreSQL") {
		t.Errorf("want candidates in\n%s", user)
	}

	var schema struct {
		Properties struct{ Category struct{ Enum []string } }
	}
	if err := json.Unmarshal(r.ResponseFormat.JSONSchema.Schema, &schema); err != nil {
		t.Fatal(err)
	}

	categories := schema.Properties.Category.Enum
	if len(categories) < 20 || !slices.Contains(categories, "Databases") || categories[len(categories)-1] != "other" {
		t.Errorf("got categories %q", categories)
	}
}

func TestSkillJudge_RejectsInvalidVerdicts(t *testing.T) {
	tests := map[string]verdict{
		"another kind":           {"both", "certain", "Weaving", "other", []int{}},
		"another category":       {"skill", "certain", "Weaving", "Looms", []int{}},
		"an unknown number":      {"skill", "certain", "Weaving", "other", []int{19}},
		"number 0":               {"skill", "certain", "Weaving", "other", []int{0}},
		"a link for a name":      {"skill", "certain", "www.weaving.example", "other", []int{}},
		"markup for a name":      {"skill", "certain", "<b>Weaving</b>", "other", []int{}},
		"a sentence":             {"skill", "certain", "it is a skill that one can learn by oneself", "other", []int{}},
		"no name":                {"skill", "certain", "", "other", []int{}},
		"a word in a row":        {"skill", "certain", "weaving weaving weaving", "other", []int{}},
		"a control character":    {"skill", "certain", "Weaving\x01", "other", []int{}},
		"signs":                  {"skill", "certain", "w@#}{%$#", "other", []int{}},
		"a name without letters": {"job_title", "certain", "!?", "other", []int{}},
	}
	for name, reply := range tests {
		t.Run(name, func(t *testing.T) {
			s := llmtest.StartInMemory(t, dimensions)
			s.Play(verdictTask, llmtest.SayJSON(reply))
			v, err := newSkillJudge(t, s).Judge(t.Context(), "a1", "weaving")
			if !errors.Is(err, llm.ErrReply) || len(s.Requests()) != 2 {
				t.Errorf("got %+v, %v after %d calls, want ErrReply after 2", v, err, len(s.Requests()))
			}
		})
	}
}

// The model is not asked about a text that can't be a name.
func TestSkillJudge_AsksOnlyAboutNames(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play(verdictTask, llmtest.SayJSON(verdict{"skill", "certain", "Weaving", "other", []int{}}))
	j := newSkillJudge(t, s)
	keywords := []string{
		"", "?!", strings.Repeat("weaving ", 9), strings.Repeat("w", 81), "https://weaving.example", `{"kind": "skill"}`,
		"<script>",
	}
	for _, keyword := range keywords {
		v, err := j.Judge(t.Context(), "a1", keyword)
		if v.Kind != "" || v.Confidence != 0 || err != nil {
			t.Errorf("%q: got %+v, %v, want neither", keyword, v, err)
		}
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("got %d calls, want none", n)
	}
}

func TestSkillJudge_Errors(t *testing.T) {
	for name, test := range llmtest.Failures() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				s.Play("", llmtest.SayJSON(verdict{"skill", "certain", "Weaving", "other", []int{}}))
				if test.Model != nil {
					s.Play("", test.Model)
				}
				s.Always(test.Fault)
				j := newSkillJudge(t, s, func(o *llm.ChatOptions) { o.MaxBytes = 64 << 10 })
				if _, err := j.Judge(t.Context(), "a1", "weaving"); !errors.Is(err, test.Kind) {
					t.Errorf("got %v, want %v", err, test.Kind)
				}
			})
		})
	}
}

func TestSkillJudge_ChargesTheAccount(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play(verdictTask, llmtest.SayJSON(verdict{"skill", "certain", "Weaving", "other", []int{}}))
	budget := llmtest.NewMemoryBudget(10)
	j := newSkillJudge(t, s, func(o *llm.ChatOptions) { o.Budget = budget })
	_, err := j.Judge(t.Context(), "a1", "weaving")
	if !errors.Is(err, llm.ErrBudget) || !errors.Is(err, skills.ErrUsedUp) {
		t.Errorf("got %v, want ErrBudget and ErrUsedUp", err)
	}
}

// The golden file has the prompt in full. A changed prompt needs another version in its first line.
func TestPrompt_IsAsReviewed(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play(verdictTask, llmtest.SayJSON(verdict{"skill", "certain", "PostgreSQL Weaving", "Databases", []int{1}}))
	if _, err := newSkillJudge(t, s).Judge(t.Context(), "a1", "postgresql weaving"); err != nil {
		t.Fatal(err)
	}
	llmtest.CompareGolden(t, s.ChatRequests()[0], "testdata/skill-verdict.golden", *update)
}
