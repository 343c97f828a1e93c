package commandline_test

import (
	"errors"
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/internal/commandline"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name  string
		args  []string
		words []string
		data  string
		err   string
	}{
		{"no arguments", nil, nil, "", ""},
		{"flags before", []string{"-data", "d", "a", "b"}, []string{"a", "b"}, "d", ""},
		{"flags after", []string{"a", "b", "-data", "d"}, []string{"a", "b"}, "d", ""},
		{"flags between", []string{"a", "--data=d", "b"}, []string{"a", "b"}, "d", ""},
		{"standard input is an argument", []string{"-", "-data", "d"}, []string{"-"}, "d", ""},
		{"arguments after --", []string{"-data", "d", "--", "-data", "e"}, []string{"-data", "e"}, "d", ""},
		{"misspelled flag", []string{"a", "-dta", "d"}, nil, "", "unknown flag -dta; did you mean -data?"},
		{"unknown flag", []string{"-verbose"}, nil, "", "unknown flag -verbose"},
		{"flag without a value", []string{"-data"}, nil, "", "flag needs an argument: -data"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			flags := commandline.NewFlags("test")
			data := flags.String("data", "", "")
			words, err := commandline.Parse(flags, test.args)
			if test.err != "" {
				if usage, ok := errors.AsType[*commandline.UsageError](err); !ok || usage.Message != test.err {
					t.Fatalf("error %v, want %s", err, test.err)
				}
				return
			}

			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(test.words, words, cmpopts.EquateEmpty()); diff != "" || *data != test.data {
				t.Errorf("-data is %q, want %q; arguments (-want +got):\n%s", *data, test.data, diff)
			}
		})
	}

	if _, err := commandline.Parse(commandline.NewFlags("test"), []string{"a", "--help"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("error %v, want flag.ErrHelp", err)
	}
}
