package dashboard

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/account"
)

// The list of pages that the browser suite walks is complete.
func TestRoutes_AreListed(t *testing.T) {
	const file = "testdata/pages.txt"
	list, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	listed := strings.Fields(string(list))
	for _, r := range routes(Config{Accounts: &account.Services{}}) {
		if r.Method != http.MethodGet {
			continue
		}
		i := slices.Index(listed, r.Path)
		if i < 0 {
			t.Errorf("%s lacks %s: add it, and a stop to TestDashboard_Walk", file, r.Path)
			continue
		}

		listed = slices.Delete(listed, i, i+1)
	}

	if len(listed) > 0 {
		t.Errorf("%s names routes that don't exist: %v", file, listed)
	}
}
