package document

import (
	"encoding/json"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// setAll gives a freelancer a value in every field.
func setAll(t *testing.T, f *matching.Freelancer) {
	t.Helper()
	for i := range matching.Fields {
		d := &matching.Fields[i]
		switch v := d.Pointer(f).(type) {
		case *string:
			*v = "text of " + d.Name
		case *matching.Optional[float64]:
			*v = matching.Some(float64(i) + .5)
		case *matching.Optional[int]:
			*v = matching.Some(i)
		case *matching.Optional[bool]:
			*v = matching.Some(true)
		case *[]string:
			*v = []string{d.Name}
		case *[]matching.SpokenLanguage:
			*v = []matching.SpokenLanguage{{Tag: "de", Level: "C1"}}
		default:
			t.Fatalf("%s has a type that this test doesn't know", d.Name)
		}
	}
}

// A field that the stored document lost would be unknown in every answer, and one whose copy for filters differed
// would be found by another value than the one shown.
func TestEncode_HasEveryField(t *testing.T) {
	d := &engine.Document{}
	d.Freelancer.ID = "f1"
	setAll(t, &d.Freelancer)
	body, err := Encode(d, 1, "")
	if err != nil {
		t.Fatal(err)
	}

	var stored StoredSource
	var copies map[string]json.RawMessage
	if err := json.Unmarshal(body, &stored); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &copies); err != nil {
		t.Fatal(err)
	}
	got, err := stored.Decode("f1")
	if err != nil {
		t.Fatal(err)
	}

	for i := range matching.Fields {
		field := &matching.Fields[i]
		want := field.Text(&d.Freelancer)
		if text := field.Text(&got); text != want {
			t.Errorf("%s is %q in the stored record, want %q", field.Name, text, want)
		}

		// Skills and dates are prepared for filters, so their copies have other values.
		isCopied := field.Kind == matching.KindNumber || field.Kind == matching.KindInteger ||
			field.Kind == matching.KindFlag
		if text, ok := copies[field.Name]; ok && isCopied && string(text) != want {
			t.Errorf("%s is %s for filters, want %s", field.Name, text, want)
		}
	}
}
