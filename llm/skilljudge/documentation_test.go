package skilljudge

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Operators rely on the documentation for what leaves their network.
func TestDocumentation_StatesWhatIsSent(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations/language-models.md")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("the word (%d), and the names of up to %d similar skills", maxNameLength, maxCandidates)
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), want) {
		t.Errorf("docs/operations/language-models.md doesn't say %q", want)
	}
}
