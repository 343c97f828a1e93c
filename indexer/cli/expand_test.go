package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder writes files into a new folder, and returns its path.
func folder(t *testing.T, contents map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range contents {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// countries returns "id country" of everybody who is live.
func (s *session) countries() string {
	s.t.Helper()
	var all []string
	for _, f := range s.live() {
		all = append(all, strings.TrimSpace(f["id"].(string)+" "+f["country"].(string)))
	}
	return strings.Join(all, ", ")
}

func TestLoad_Partitions(t *testing.T) {
	s := newSession(t)
	root := folder(t, map[string]string{
		"country=PT/part-0.csv":                      "id,name,skills,rating\n1,Ada Lund,Go,4.5\n2,Bo Reth\n",
		"country=PT/part-1.ndjson":                   `{"id":3,"name":"Cem Vask","skills":["Go","SQL"],"rating":3}` + "\n",
		"country=DE/year=2026/part-0.csv":            "id,name,skills,rating\n4,Dua Moor,SEO,5\n",
		"country=DE/year=2026/own.csv":               "id,name,skills,country\n5,Eve Sari,SEO,FR\n",
		"country=__HIVE_DEFAULT_PARTITION__/a.csv":   "id,name,skills\n6,Fay Kel,Go\n",
		"country=United%20States/rating=4/part0.csv": "id,name,skills\n7,Gil Nim,Go\n",
		"_SUCCESS":                 "",
		"_temporary/part-9.csv":    "id,name,skills\n99,Zed Kor,Go\n",
		"country=PT/.part-0.crc":   "x",
		"country=PT/_metadata.csv": "x",
	})
	const want = "5 FR, 4 DE, 7 US, 1 PT, 2 PT, 3 PT, 6"
	s.must("load", root)
	if got := s.countries(); !sameSet(got, want) {
		t.Errorf("%s are live, want %s", got, want)
	}

	// A row that ends early keeps its columns, and lists stay lists.
	for _, f := range s.live() {
		hasList := len(f["skills"].([]any)) == 2
		if f["id"] == "3" && !hasList || f["id"] == "7" && f["rating"] != 4. || f["id"] == "2" && f["name"] != "Bo Reth" {
			t.Errorf("%v", f)
		}
	}
	if out := s.must("load", "-if-changed", root); !strings.Contains(out, "Nothing was loaded") {
		t.Errorf("nothing changed, but\n%s", out)
	}
}

// sameSet reports whether two lists have the same items.
func sameSet(a, b string) bool {
	left := map[string]int{}
	for item := range strings.SplitSeq(a, ", ") {
		left[item]++
	}
	for item := range strings.SplitSeq(b, ", ") {
		left[item]--
	}
	for _, n := range left {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestLoad_Patterns(t *testing.T) {
	s := newSession(t)
	root := folder(t, map[string]string{
		"a.csv": "id,name,skills\n1,Ada Lund,Go\n", "b.csv": "id,name,skills\n2,Bo Reth,Go\n", "c.txt": "nothing",
		"country=PT/x.csv": "id,name,skills\n3,Cem Vask,Go\n", "country=DE/x.csv": "id,name,skills\n4,Dua Moor,Go\n",
		"[x].csv": "id,name,skills\n5,Eve Sari,Go\n", "empty/.keep": "", "cvs/ada.pdf": "%PDF",
	})
	for _, test := range []struct{ pattern, want string }{
		{"[ab].csv", "1, 2"},
		{"*.csv", "1, 2, 5"},
		{"[x].csv", "5"}, // the file exists
		{"country=*/x.csv", "3 PT, 4 DE"},
		{"country=*", "3 PT, 4 DE"},
	} {
		s.must("load", "-allow-shrink", filepath.Join(root, test.pattern))
		if got := s.countries(); !sameSet(got, test.want) {
			t.Errorf("%s: %s are live, want %s", test.pattern, got, test.want)
		}
	}

	s.wantError(1, []string{"load", filepath.Join(root, "*.parquet")}, "no file fits")
	s.wantError(1, []string{"validate", filepath.Join(root, "empty")}, "has no files")
	s.wantError(2, []string{"load", filepath.Join(root, "cvs")}, "resumes, such as ada.pdf", "-resumes")
	s.wantError(2, []string{"load", filepath.Join(root, "[")}, "not a valid pattern")
}

// A pattern leaves out the folders of unfinished jobs, unless it names them.
func TestLoad_PatternHidden(t *testing.T) {
	root := folder(t, map[string]string{
		"country=PT/part.csv": "id,name,skills\n1,Ada Lund,Go\n", "_temporary/part.csv": "id,name,skills\n9,Zed Kor,Go\n",
		".staging/0/part.csv": "id,name,skills\n8,Yan Kor,Go\n", "_temporary/0/part.csv": "id,name,skills\n7,Xi Kor,Go\n",
		"a/_temporary/part.csv": "id,name,skills\n6,Wu Kor,Go\n", "a/b/part.csv": "id,name,skills\n5,Vi Kor,Go\n",
	})
	for pattern, want := range map[string]string{
		"*/part.csv": "1 PT", "./*/part.csv": "1 PT", "*/*/part.csv": "5", "_temporary/*.csv": "9", "_temp*/part.csv": "9",
	} {
		s := newSession(t)
		t.Chdir(root)
		s.must("load", pattern)
		if got := s.countries(); !sameSet(got, want) {
			t.Errorf("%s: %s are live, want %s", pattern, got, want)
		}
	}
}
