package source_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
)

// The record of a row has all cells under unique names, as they are in the file.
func TestRecord(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{
			"as in the file", "name,rate,bio\nx,1,\n,\" $4,5 \",\"a \"\"b\"\"\nc\"\n",
			`{"name":"","rate":" $4,5 ","bio":"a \"b\"\nc"}`,
		},
		{
			"short row", "name,rate,bio,url,title\nx,1,,,\nMira\n",
			`{"name":"Mira","rate":null,"bio":null,"url":null,"title":null}`,
		},
		{"long row", "name,skills\nx,1\na,b,c\n", `{"name":"a","skills":"b","(extra cell 3)":"c"}`},
		{
			"repeated and missing headers", "name,skills,,skills\nx,1,,\n,b,c,d\n",
			`{"name":"","skills":"b","(column 3)":"c","skills (column 4)":"d"}`,
		},
		{"JSON", `{"name":"x"}` + "\n" + `{"name":null,"rate":{"min":4}}`, `{"name":"","rate.min":"4"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := source.Open(input.FromPath(path), source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()

			var last source.Row
			for row, err := range f.Rows(t.Context()) {
				if last = row; err != nil {
					t.Fatal(err)
				}
			}

			record := last.Raw.Record()
			got, err := json.Marshal(record)
			if err != nil || string(got) != test.want {
				t.Errorf("record %s (%v), want %s", got, err, test.want)
			}

			var again rows.Record
			if err := json.Unmarshal(got, &again); err != nil || len(again) != len(record) {
				t.Fatalf("read again: %v, %v", again, err)
			}

			for i := range record {
				if again[i] != record[i] {
					t.Errorf("read again: %+v, want %+v", again[i], record[i])
				}
			}
		})
	}
}
