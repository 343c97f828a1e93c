package matching_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

// What is unknown must come back from a file as unknown, and a known zero as zero.
func TestFreelancer_KeepsUnknownThroughJSON(t *testing.T) {
	tests := []struct {
		name string
		f    matching.Freelancer
		want string
	}{
		{"nothing known", matching.Freelancer{ID: "a"}, `{"id":"a"}`},
		{"known zeros", matching.Freelancer{ID: "a", Signals: matching.Signals{
			HourlyRate: matching.Some(0.), Availability: matching.Some(false), TotalSales: matching.Some(0),
		}}, `{"id":"a","hourly_rate":0,"availability":false,"total_sales":0}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, err := json.Marshal(test.f)
			if err != nil || string(b) != test.want {
				t.Fatalf("%s (%v), want %s", b, err, test.want)
			}

			var back matching.Freelancer
			if err := json.Unmarshal(b, &back); err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(test.f, back); diff != "" {
				t.Errorf("(-sent +back):\n%s", diff)
			}
		})
	}
}

func TestOptional_JSON(t *testing.T) {
	var o matching.Optional[int]
	for _, text := range []string{"3", "null", "0"} {
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		if b, err := json.Marshal(o); err != nil || string(b) != text {
			t.Errorf("%s came back as %s (%v)", text, b, err)
		}
	}
	if err := json.Unmarshal([]byte(`"three"`), &o); err == nil || o.Known {
		t.Errorf("a text was read as %v (%v)", o, err)
	}
}

// Numbers are written and read as encoding/json does for float64 itself.
func TestOptional_Numbers(t *testing.T) {
	for _, want := range []float64{
		0, math.Copysign(0, -1), 1, -52.5, 106.2, 1e-6, 9.9e-7, 1e20, 1e21, 1 << 53, .1 + .2, math.MaxFloat64,
		math.SmallestNonzeroFloat64,
	} {
		plain, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}

		text, err := json.Marshal(matching.Some(want))
		if err != nil || string(text) != string(plain) {
			t.Errorf("%v became %s (%v), want %s", want, text, err, plain)
		}

		var got matching.Optional[float64]
		if err := json.Unmarshal(text, &got); err != nil || got != matching.Some(want) {
			t.Errorf("%s was read as %v (%v)", text, got, err)
		}
	}

	if text, err := json.Marshal(matching.Some(math.NaN())); err == nil {
		t.Errorf("NaN became %s", text)
	}

	for _, text := range []string{`"1"`, "true", "[]", "{}", "1e999"} {
		if o := matching.Some(1.); json.Unmarshal([]byte(text), &o) == nil || o.Known {
			t.Errorf("%s was read as %v", text, o)
		}
	}
}

func TestUnknownFields(t *testing.T) {
	f := matching.Freelancer{
		ID: "a", Name: "Mira", Skills: []string{"Go"}, Signals: matching.Signals{Rating: matching.Some(0.)},
	}
	want := []string{"job_title", "experience", "hourly_rate", "profile_url", "availability", "total_sales"}
	if diff := cmp.Diff(want, f.UnknownFields()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCodeOf(t *testing.T) {
	inner := &matching.Error{Code: matching.CodeOverloaded, Message: "too much", Cause: io.ErrUnexpectedEOF}
	tests := []struct {
		name string
		err  error
		want matching.Code
	}{
		{"none", nil, ""},
		{"ours", inner, matching.CodeOverloaded},
		{"wrapped", fmt.Errorf("match: %w", inner), matching.CodeOverloaded},
		{"another", io.EOF, matching.CodeInternal},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := matching.CodeOf(test.err); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}

	if !errors.Is(inner, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
}
