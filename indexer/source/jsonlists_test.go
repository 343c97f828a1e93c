package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/indexer/source/flatten"
	"github.com/freelancer-matching/service/indexer/source/input"
)

// TestOpen_JSONLists finds the list of freelancers in an object, or says which lists there are.
func TestOpen_JSONLists(t *testing.T) {
	const (
		ann   = `{"name": "Ann", "skills": ["Go"]}`
		bob   = `{"name": "Bob", "skills": ["C"]}`
		both  = "[" + ann + ",\n" + bob + "]"
		empty = `{"code": 1, "detail": "x"}`
	)

	many := "[" + ann + strings.Repeat(",\n"+bob, 20_000) + "]" // the rest of the object is behind the head
	tests := []struct {
		name, content, path string
		want                string // the number of rows and the last name, or a part of the error
		note                string
	}{
		{"data", `{"data": ` + both + `}`, "", "2 Bob", `at "data"`},
		{"minified, in one line", strings.ReplaceAll(`{"data":`+both+`}`, "\n", ""), "", "2 Bob", `at "data"`},
		{
			"metadata", `{"total": 2, "x": {"y": ["a", {}], "z\"}": "]}"}, "results": ` + both + `, "next": null}`,
			"", "2 Bob", "results",
		},
		{
			"two levels", `{"status": "ok", "response": {"page": 1, "users": ` + both + `}}`, "", "2 Bob", `at "response.users"`,
		},
		{"three levels", `{"a": {"b": {"c": ` + both + `}}}`, "", "2 Bob", `at "a.b.c"`},
		{"wrapped records", `{"edges": [{"node": ` + ann + `}, {"node": ` + bob + `}]}`, "", "2 Bob", `at "edges"`},
		{"errors beside", `{"errors": [` + empty + `], "data": ` + both + `}`, "", "2 Bob", `at "data"`},
		{"errors behind", `{"data": ` + many + `, "errors": [` + empty + `]}`, "", "20001 Bob", `at "data"`},
		{"pages by line", `{"data": ` + both + `}` + "\n" + `{"data": [` + ann + `]}`, "", "3 Ann", `at "data"`},
		{"pages in a list", `[{"data": ` + both + `}, {"data": []}, {"data": [` + ann + `]}]`, "data", "3 Ann", ""},
		{"path", `{"a": ` + both + `, "b": {"c": [` + ann + `]}}`, "b.c", "1 Ann", ""},
		{"escaped key", `{"d\u0061ta": ` + both + `}`, "data", "2 Bob", ""},
		{"record", `{"name": "Ann", "skills": [{"name": "Go"}, {"name": "C"}]}`, "", "1 Ann", ""},
		{
			"record with reviews",
			`{"name": "Ann", "title": "Cook", "skills": ["x"], "reviews": [{"name": "Bob", "title": "good"}]}`, "", "1 Ann", "",
		},
		{
			"several", `{"freelancers": ` + both + `, "clients": [{"name": "Acme"}]}`,
			"", `"freelancers", "clients"; name one, such as`, "",
		},
		{
			"another one behind", `{"a": ` + many + `, "b": {"c": [` + ann + `]}}`,
			"", `lists that may be freelancers: "a", "b.c"`, `at "a"`,
		},
		{"another one behind, chosen", `{"a": ` + many + `, "b": {"c": [` + ann + `]}}`, "a", "20001 Bob", ""},
		{"no such path", `{"data": ` + both + `}`, "items", `no list at "items"; there are lists of objects at "data"`, ""},
		{
			"path to an object", `{"data": {"x": ` + both + `}}`,
			"data", `no list at "data"; there are lists of objects at "data.x"`, "",
		},
		{
			"path on one page only", `{"data": ` + both + `}` + "\n" + `{"error": 5}`,
			"", `line 3: there is no list at "data"`, "",
		},
		{"empty", `{"data": []}`, "data", "no JSON object among the first rows", ""},
		{"cut off in the list", `{"data": ` + both[:len(both)-1], "", "the array is not closed", ""},
		{"cut off behind the list", `{"data": ` + both, "", "the object is not closed; the file is incomplete", ""},
		{"cut off in metadata", `{"data": ` + both + `, "next": "http`, "", "the object is not closed", ""},
		{"cut off far away", `{"data": ` + many + `, "total": 5`, "", "the object is not closed", `at "data"`},
		{"pages cut off", `[{"data": ` + both + `}`, "data", "the array is not closed", ""},
		{"not JSON behind the list", `{"data": ` + both + ` x}`, "", `'x' where a key should be`, ""},
		{"list of texts", `{"data": ["Ann", "Bob"]}`, "data", "no JSON object among the first rows", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := Options{JSONPath: test.path}
			path := write(t, test.content)
			rows, err := read(t, path, o)
			got := fmt.Sprint(err)

			if err == nil {
				got = fmt.Sprint(len(rows), " ", rows[len(rows)-1].Freelancer.Name)
			}

			if !strings.Contains(got, test.want) {
				t.Fatalf("got %q, want %q", got, test.want)
			}

			if f, err := Open(input.FromPath(path), o); err == nil {
				defer f.Close()
				notes := strings.Join(f.Notes(), "\n")
				if !strings.Contains(notes, test.note) || test.note == "" && notes != "" {
					t.Errorf("notes %q, want %q", notes, test.note)
				}
			}
		})
	}
}

func TestRows_JSONLines(t *testing.T) {
	deep := strings.Repeat(`{"a": `, 5) + `"x"` + strings.Repeat("}", 5)
	tests := []struct {
		name, content string
		rows          int
		warnings      []Fault // of the last row
		err           string
	}{
		{"joined files with marks", "\ufeff{\"name\": \"Ann\"}\n\ufeff{\"name\": \"Bob\"}\n", 2, nil, ""},
		{"objects without line ends", `{"name": "Ann"}{"name": "Bob"} {"name": "Cid"}`, 3, nil, ""},
		{
			"cut off", "{\"name\": \"Ann\"}\n{\"name\": \"Bo",
			1, nil, "line 2: the last line ends within a value; the file is incomplete",
		},
		{"cut off between members", "{\"name\": \"Ann\"}\n{\"name\": \"Bob\",", 1, nil, "line 2: the last line ends within"},
		{"cut off with a line end", "{\"name\": \"Ann\"}\n{\"name\": \"Bo\n", 2, nil, ""},
		{"broken line", "{\"name\": \"Ann\"}\n{name: Bob}\n", 2, nil, ""},
		{
			"key twice", "{\"name\": \"Ann\"}\n{\"name\": \"Bob\", \"name\": \"Cid\"}\n", 2,
			[]Fault{{Line: 2, Column: "name", Reason: flatten.RemarkAgain}},
			"",
		},
		{"numbers as text", `{"name": "Ann", "id": 12345678901234567890, "rating": "4.5"}`, 1, nil, ""},
		{
			"nested", `{"name": "Ann", "x": ` + deep + `}`, 1,
			[]Fault{{Line: 1, Column: "x.a.a.a", Reason: flatten.RemarkTooDeep}},
			"",
		},
		{"nested without end", "{\"name\": \"Ann\"}\n{\"name\": " + strings.Repeat("[", 100_000) + "\n{}", 2, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows, err := read(t, write(t, test.content), Options{})
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}

			if err != nil || len(rows) < test.rows {
				t.Fatalf("%d rows, %v; want %d", len(rows), err, test.rows)
			}

			for i, want := range test.warnings {
				if got := rows[test.rows-1].Warnings; i >= len(got) || got[i] != want {
					t.Errorf("warnings %+v, want %+v", got, want)
				}
			}

			if test.warnings == nil && len(rows[test.rows-1].Warnings) > 0 {
				t.Errorf("warnings %+v", rows[test.rows-1].Warnings)
			}
		})
	}
}

// FuzzJSON reads any bytes as JSON, with and without a path. Reading must end.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"data": [{"name": "A"}], "x": [{"name": "B"}]}`, `[{"data": [{"name": "A"}]}, {"data": []}]`,
		`{"a": {"data": [{"name": "A"}]}, "b": "\"]}", "c": 1.5e3}`, `{"data": {"data": [[{"name": "A"}]]}}`, `{"data": [{`,
		`{"name": "A", "name": 1}` + "\n{", "{}}]", `{"data": [1, {"name": 2}]}{"data": []}`,
	} {
		f.Add([]byte(seed), "data")
	}
	f.Fuzz(func(t *testing.T, content []byte, path string) {
		for _, o := range []Options{{}, {JSONPath: path}} {
			_, _ = read(t, write(t, "{"+string(content)), o)
			_, _ = read(t, write(t, string(content)), o)
		}
	})
}
