package matching_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
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
