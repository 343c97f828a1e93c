package llm

import (
	"os"
	"strings"
	"testing"
)

// Operators rely on the documentation for what leaves their network.
func TestDocumentation_StatesWhatIsSent(t *testing.T) {
	page, err := os.ReadFile("../docs/operations/language-models.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for _, want := range []string{
		"telephone numbers of nine digits or more",
		"up to 1,000 characters each",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/operations/language-models.md doesn't say %q", want)
		}
	}

	if MaxCharacters != 1000 {
		t.Error("the documentation has other numbers of characters")
	}
}
