package commandline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/commandline"
)

func TestGiven(t *testing.T) {
	flags := commandline.NewFlags("test")
	flags.String("data", "", "")
	flags.Bool("dry-run", false, "")
	flags.Func("map", "", func(string) error { return nil })
	args := []string{"-", "-map", "a=b", "f.csv", "--map=c=d", "-dry-run", "-data", "-map", "--", "-map", "e=f"}
	if _, err := commandline.Parse(flags, args); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"map": {"a=b", "c=d"}, "dry-run": {"true"}, "data": {"-map"}}
	if diff := cmp.Diff(want, commandline.Given(flags, args)); diff != "" {
		t.Errorf("given flags (-want +got):\n%s", diff)
	}
}
