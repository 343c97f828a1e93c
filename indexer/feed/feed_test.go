package feed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/indexer/spool"
)

// fold returns the lines that Fold writes for messages.
func fold(t *testing.T, content string) (*Result, []string, error) {
	t.Helper()
	log, err := spool.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var out bytes.Buffer
	result, err := Fold(strings.NewReader(content), Options{}, &out, log)
	return result, strings.Split(strings.TrimSpace(out.String()), "\n"), err
}

// TestFold_LastStateWins makes random changes to a table, writes them in each format, and compares what is left.
func TestFold_LastStateWins(t *testing.T) {
	formats := map[string]func(op string, id int, name string) string{
		"debezium": func(op string, id int, name string) string {
			record := fmt.Sprintf(`{"id":%d,"name":%q}`, id, name)
			if op == "d" {
				return fmt.Sprintf(`{"op":"d","before":%s,"after":null}`, record)
			}
			return fmt.Sprintf(`{"op":%q,"before":null,"after":%s}`, op, record)
		},
		"wal2json": func(op string, id int, name string) string {
			if op == "d" {
				return fmt.Sprintf(`{"change":[{"kind":"delete","oldkeys":{"keynames":["id"],"keyvalues":[%d]}}]}`, id)
			}
			return fmt.Sprintf(`{"change":[{"kind":%q,"columnnames":["id","name"],"columnvalues":[%d,%q]}]}`,
				map[string]string{"c": "insert", "u": "update"}[op], id, name)
		},
	}

	for format, message := range formats {
		t.Run(format, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			names := map[int]string{} // of those who exist
			ever := map[int]bool{}
			var all strings.Builder
			for i := range 2000 {
				id := random.IntN(100)
				name := fmt.Sprintf("name %d", i)
				_, exists := names[id]
				op := "c"
				switch {
				case exists && random.IntN(3) == 0:
					op = "d"
					delete(names, id)
				case exists:
					op = "u"
				}
				if op != "d" {
					names[id] = name
				}
				ever[id] = true
				all.WriteString(message(op, id, name) + "\n")
			}

			result, lines, err := fold(t, all.String())
			if err != nil {
				t.Fatal(err)
			}
			want := Result{Format: format, Changes: 2000, Records: len(names), Deleted: len(ever) - len(names)}
			if *result != want || len(lines) != len(ever) {
				t.Errorf("%d lines, and the result is %+v, want %+v", len(lines), *result, want)
			}
			for _, line := range lines {
				var got struct {
					ID      int
					Name    string
					Deleted bool
				}
				if err := json.Unmarshal([]byte(line), &got); err != nil {
					t.Fatal(err)
				}
				if name, exists := names[got.ID]; got.Deleted == exists || got.Name != name {
					t.Errorf("%s, but the name is %q", line, name)
				}
			}
		})
	}
}

func TestFold_KeepsValuesAsTheyAre(t *testing.T) {
	const record = `{"id":12345678901234567890,"rate":33.10,"note":"a \"quote\" and é 💡 and \u0041",` +
		`"tags":["x"],"place":{"city":null}}`
	_, lines, err := fold(t, `{"op":"c","after":`+record+`}`)
	if err != nil || lines[0] != record {
		t.Errorf("%v, want\n%s, not\n%s", err, record, lines[0])
	}
}

func TestFold_LargeMessage(t *testing.T) {
	_, _, err := fold(t, `{"op":"c","after":{"id":1,"x":"`+strings.Repeat("x", maxMessage)+`"}}`)
	if err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("the error is %v", err)
	}
}

func TestFormat_OfOtherFiles(t *testing.T) {
	for _, content := range []string{
		"", "[", "null", `{"name":"Ada"}`, `[{"name":"Ada"}]`, `{"op":"c"}`, `{"action":"U","name":"Ada"}`, `{"change":[1]}`,
		`{"change":[{"kind":"of heart"}]}`, `{"type":"RECORD"}`, `{"type":"LOG"}`, `{"data":[{"op":"c","after":{"id":1}}]}`,
		`{"change":[]}` + "\n" + `{"name":"Ada"}`, "id,name\n1,Ada\n",
	} {
		if got := Format([]byte(content)); got != "" {
			t.Errorf("%s is %s", content, got)
		}
	}
}

// FuzzFold reads any text as messages. What it writes must be valid, with a key in each line.
func FuzzFold(f *testing.F) {
	for _, seed := range []string{
		`{"op":"u","before":{"id":1},"after":{"id":2,"a":"__debezium_unavailable_value"}}`,
		`{"payload":{"op":"d","before":"{\"id\":1}","after":null}}`,
		`{"change":[{"kind":"update","columnnames":["id"],"columnvalues":[1,2],"oldkeys":{"keynames":["id"],` +
			`"keyvalues":[3]}}]}`,
		`{"action":"D","identity":[{"name":"id","value":{}}]}{"action":"I","columns":[{"name":"id"}],"pk":[{"name":"id"}]}`,
		`[{"type":"RECORD","record":{"stream":"x","data":{"id":1}}},{"type":"STATE"},null,3]`,
		`{"id":"x","__deleted":"true"}`, `{"_airbyte_data":"{\"ID\":1,\"_ab_cdc_deleted_at\":1}"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		Format([]byte(content))
		result, lines, err := fold(t, content)
		if err != nil || result.Records+result.Deleted == 0 {
			return
		}
		if len(lines) != result.Records+result.Deleted {
			t.Errorf("%d lines for %+v", len(lines), result)
		}
		for _, line := range lines {
			if !json.Valid([]byte(line)) || len(members([]byte(line))) == 0 {
				t.Errorf("%q isn't an object", line)
			}
		}
	})
}
