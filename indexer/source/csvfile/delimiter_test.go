package csvfile

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/indexer/source/charset"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/table"
)

// FuzzDetectDelimiter checks that any text has a delimiter, and that reading with it ends.
func FuzzDetectDelimiter(f *testing.F) {
	f.Add([]byte("name;skills\n\"a;b\";c"), true)
	f.Add([]byte("name\tskills\n\"a"), false)
	f.Fuzz(func(t *testing.T, head []byte, whole bool) {
		in := &input.Stream{Head: head, IsWhole: whole, Charset: charset.Detect(head)}
		delim := detectDelimiter(in, nil)
		if !strings.ContainsRune(headers.Delimiters, rune(delim)) {
			t.Errorf("delimiter %q", delim)
		}
		records, _ := readHead(in, delim)
		if len(records) > table.SampleRows+1 {
			t.Errorf("%d records", len(records))
		}
	})
}

func TestDetectDelimiter(t *testing.T) {
	tests := []struct {
		head string
		want byte
	}{
		{"name,skills\nAnn,\"Go;Rust\"\n", ','},
		{"name;skills\nAnn;Go, Rust, C\n", ';'},
		{"name\tskills\nAnn\tGo, Rust | C\n", '\t'},
		{"name|skills\nAnn|Go, Rust; C\n", '|'},
		{"color;size,number\nred;1,2\nblue;3,4,5\n", ';'},
		{"name\nAnn; B\n", ','},
		{"\"last; first name\",skills\n\"A; B\",Go\n", ','},
	}
	for _, test := range tests {
		got := detectDelimiter(&input.Stream{Head: []byte(test.head), IsWhole: true}, nil)
		if got != test.want {
			t.Errorf("delimiter of %q is %q, want %q", test.head, got, test.want)
		}
	}
}
