//go:build integration

package integration

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

// A load says which changes of clients it undoes, and keeps them by field with -keep-changes, also in the next load.
func TestLoad_KeepsChangesOfClients(t *testing.T) { onEachEngine(t, loadKeepsChanges) }

func loadKeepsChanges(t *testing.T, d *deployment) {
	people := func(rate, skill string) string {
		path := filepath.Join(t.TempDir(), "people.csv")
		content := "id,name,job_title,skills,hourly_rate\n" +
			"f1,Ada Lund,Developer," + skill + "," + rate + "\n" +
			"f2,Bo Reth,Editor," + skill + "," + rate + "\n" +
			"f3,Cem Vask,Cook," + skill + "," + rate + "\n"
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}

	d.index(t, "load", people("40", "Go"))
	s := d.serve(t)
	id := regexp.MustCompile(`key_[0-9A-Za-z]+`).FindString(programs.Run(t, "server", "keys", "list", "-data", d.data))
	programs.Run(t, "server", "keys", "grant", "-data", d.data, id, "data:read", "data:write")
	change := func(method, freelancer, body string) {
		t.Helper()
		if r := s.reply(t, method, "/api/v1/freelancers/"+freelancer, body); r.Status/100 != 2 {
			t.Fatalf("%s %s: %d", method, freelancer, r.Status)
		}
	}
	rates := func() string {
		t.Helper()
		var all []string
		for line := range strings.Lines(d.index(t, "export")) {
			var f struct {
				ID     string
				Rate   *float64 `json:"hourly_rate"`
				Skills []string
			}
			if err := json.Unmarshal([]byte(line), &f); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			text, _ := json.Marshal([]any{f.ID, f.Rate, f.Skills})
			all = append(all, string(text))
		}
		return strings.Join(slices.Sorted(slices.Values(all)), " ")
	}

	change(http.MethodPatch, "f1", `{"hourly_rate":55}`)
	change(http.MethodPut, "f2", `{"name":"Bo Reth","job_title":"Editor","skills":["Go"],"hourly_rate":66}`)
	change(http.MethodPut, "f9", `{"name":"New","job_title":"Pilot","skills":["Java"],"hourly_rate":77}`)

	// Values of other fields come from the files, and a value that a client has changed stays through two loads.
	for _, skill := range []string{"Rust", "Zig"} {
		out := d.index(t, "load", people("41", skill), "-keep-changes")
		for _, want := range []string{
			"that were kept", "2 freelancers with other values: hourly_rate (2)", "1 freelancer added",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("want %q in\n%s", want, out)
			}
		}
		want := `["f1",55,["` + skill + `"]] ["f2",66,["` + skill + `"]] ["f3",41,["` + skill + `"]] ["f9",77,["Java"]]`
		if got := rates(); got != want {
			t.Errorf("live are %s, want %s", got, want)
		}
	}

	var document struct {
		Result struct {
			Change struct {
				Edits struct {
					Kept               bool
					Freelancers, Added int
					Fields             map[string]int
				}
			}
		}
	}
	out := d.index(t, "load", people("42", "Go"), "-json")
	if err := json.Unmarshal([]byte(out), &document); err != nil {
		t.Fatal(err)
	}
	edits := document.Result.Change.Edits
	isExpected := !edits.Kept && edits.Freelancers == 2 && edits.Added == 1
	if !isExpected || !maps.Equal(edits.Fields, map[string]int{"hourly_rate": 2}) {
		t.Errorf("a load without -keep-changes reports %+v", edits)
	}
	if got, want := rates(), `["f1",42,["Go"]] ["f2",42,["Go"]] ["f3",42,["Go"]]`; got != want {
		t.Errorf("live are %s, want %s", got, want)
	}

	// What has been undone is no change since the last load.
	if out := d.index(t, "load", people("43", "Go")); strings.Contains(out, "changes since the last load") {
		t.Errorf("undone changes are reported again:\n%s", out)
	}
}
