package interviewer

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Operators rely on the documentation for what leaves their network.
func TestDocumentation_StatesWhatIsSent(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations/language-models.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	number := message.NewPrinter(language.English).Sprint
	for _, want := range []string{
		"from the request: project description (" + number(projectLimit) + "), job title (" + number(titleLimit) + ")",
		"up to " + number(maxListedSkills) + " required skills (" + number(skillLimit) + " each)",
		"skills and description (" + number(profileLimit) + " together)",
		"the questions of the session so far (" + number(askedLimit) + ")",
		"one call per answer | project description (" + number(contextLimit) + "), question (" + number(questionLimit) + ")",
		"rubric (" + number(rubricLimit) + ")",
		"the one answer (" + number(answerTextLimit) + ")",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/operations/language-models.md doesn't say %q", want)
		}
	}
}
