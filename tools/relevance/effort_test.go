package relevance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// effortFiles writes job posts, their hours and a judged set, and returns the arguments of a fit.
func effortFiles(t *testing.T) (folder string, args []string) {
	t.Helper()
	folder = t.TempDir()
	posts := "title,job_link,price,description,job_tag\n"
	hours := "post\tlow\ttypical\thigh\n"
	for i := range 60 {
		link := fmt.Sprintf("/projects/%d", i)
		sum := sha256.Sum256([]byte(link))
		id := hex.EncodeToString(sum[:6])
		if i%2 == 0 {
			posts += "Logo," + link + ",$30 - $250,A logo for a bakery,\"['Logo Design']\"\n"
			hours += id + "\t5\t10\t20\n"
		} else {
			posts += "Mobile app," + link + ",\"$1,500 - $3,000\",An app for deliveries,\"['iOS', \"\"Android\"\"]\"\n"
			hours += id + "\t100\t200\t400\n"
		}
	}

	hours += strings.Repeat("0", 12) + "\t\t\t\n" // its size can't be told
	if err := os.Mkdir(filepath.Join(folder, "posts"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"posts/posts.csv": posts, "hours.tsv": hours,
		"briefs.jsonl": `{"brief_id":"b1","category":"design","body":{"description":"Logo\nA logo for a bakery",` +
			`"required_skills":["Logo Design"],"budget_range":[30,250]}}` + "\n",
		"judgments.tsv":   "b1\tf1\t3\n",
		"freelancers.csv": "id,name\nf1,Ada\n",
		"effort.tsv": "brief_id\tprice_kind\thours_low\thours_typical\thours_high\treason\n" +
			"b1\tfixed\t5\t10\t20\ta \"logo\"\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	return folder, []string{
		"effort", "-posts", filepath.Join(folder, "posts"), "-hours", filepath.Join(folder, "hours.tsv"), "-judged", folder,
		"-o", filepath.Join(folder, "model.json"),
	}
}

func TestEffort_Fit(t *testing.T) {
	folder, args := effortFiles(t)
	out := must(t, args...)
	for _, want := range []string{
		"60 posts with hours", "all        1 briefs: median 1.", "fixed      1 briefs: median 1.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}
	model, err := os.ReadFile(filepath.Join(folder, "model.json"))
	if err != nil || !strings.Contains(string(model), "weights") {
		t.Errorf("the model is %s, %v", model, err)
	}
}

func TestEffort_Faults(t *testing.T) {
	for _, c := range []struct{ file, content, want string }{
		{"hours.tsv", "post\tlow\ttypical\n", "the header needs low, typical and high"},
		{"hours.tsv", "post\tlow\ttypical\thigh\nx\t1\tmany\t3\n", `x: "many" is no number of hours`},
		{"hours.tsv", "post\tlow\ttypical\thigh\nx\t0\t1\t3\n", `x: "0" is no number of hours`},
		{"hours.tsv", "post\tlow\ttypical\thigh\nx\t1\t2\t3\n", "0 of the posts in"},
		{"posts/posts.csv", "title,price\n", "posts.csv: no column job_link"},
		{"effort.tsv", "", "no header"},
	} {
		folder, args := effortFiles(t)
		if err := os.WriteFile(filepath.Join(folder, c.file), []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}

		var out, problems strings.Builder
		if code := Run(t.Context(), args, &out, &problems); code != 1 || !strings.Contains(problems.String(), c.want) {
			t.Errorf("%s %q: exit code %d, %s, want %q", c.file, c.content, code, &problems, c.want)
		}
	}
}
