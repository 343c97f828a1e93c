package csvfile

import (
	"bufio"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCSV_Quotes checks what quotes mean in files that don't follow RFC 4180.
func TestCSV_Quotes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		want       []string
	}{
		{"spaces before a quote", `a, "b, c" ,d`, []string{"a", "b, c", "d"}},
		{"spaces before a quote at the start", `  "b, c",d`, []string{"b, c", "d"}},
		{"spaces before a quote that closes nothing", `a, "b, c`, []string{"a", ` "b`, " c"}},
		{"spaces before a quoted word", `a, "best" designer,c`, []string{"a", ` "best" designer`, "c"}},
		{"spaces only", `a,   ,c`, []string{"a", "   ", "c"}},
		{"backslashes before quotes", `a,"the \"Go\" developer",c`, []string{"a", `the "Go" developer`, "c"}},
		{"a backslash at the end", `a,"C:\",c`, []string{"a", `C:\`, "c"}},
		{"a stray quote", `a,27" screens,c`, []string{"a", `27" screens`, "c"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := &Reader{in: bufio.NewReader(strings.NewReader(test.line + "\n")), delim: ','}
			rec, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(test.want, rec.Cells); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
