package matching

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Stored records are the JSON of Freelancer, so a member without a row in Fields would be stored and never compared,
// counted or exported.
func TestFields_AreTheMembersOfFreelancer(t *testing.T) {
	members := []string{}
	for _, member := range reflect.VisibleFields(reflect.TypeFor[Freelancer]()) {
		name, _, _ := strings.Cut(member.Tag.Get("json"), ",")
		if member.Anonymous || name == "id" {
			continue
		}
		members = append(members, name)
		if FieldNamed(name) == nil {
			t.Errorf("Freelancer.%s has no row in Fields; add one named %q", member.Name, name)
		}
	}

	for i := range Fields {
		if !slices.Contains(members, Fields[i].Name) {
			t.Errorf("Freelancer has no member with the JSON name %s, which has a row in Fields", Fields[i].Name)
		}
	}
}

func TestFields_PointToTheirMembers(t *testing.T) {
	types := map[Kind]reflect.Type{
		KindText: reflect.TypeFor[*string](), KindLongText: reflect.TypeFor[*string](),
		KindDate: reflect.TypeFor[*string](), KindNumber: reflect.TypeFor[*Optional[float64]](),
		KindInteger: reflect.TypeFor[*Optional[int]](), KindFlag: reflect.TypeFor[*Optional[bool]](),
		KindSkills: reflect.TypeFor[*[]string](), KindLanguages: reflect.TypeFor[*[]SpokenLanguage](),
	}
	samples := map[Kind]string{
		KindText: `"x"`, KindLongText: `"x"`, KindDate: `"2026-12-01"`, KindNumber: "2.5", KindInteger: "7",
		KindFlag: "true", KindSkills: `["Go", "Rust"]`,
		KindLanguages: `[{"language": "de", "level": "C1"}, {"language": "en"}]`,
	}
	texts := map[Kind]string{
		KindText: "x", KindLongText: "x", KindDate: "2026-12-01", KindNumber: "2.5", KindInteger: "7",
		KindFlag: "true", KindSkills: "Go\nRust", KindLanguages: "de:C1;en:?",
	}

	for i := range Fields {
		d := &Fields[i]
		var f Freelancer
		if got := reflect.TypeOf(d.Pointer(&f)); got != types[d.Kind] {
			t.Errorf("%s points to a %v; its kind requires a %v", d.Name, got, types[d.Kind])
			continue
		}

		if d.Known(&f) || d.Text(&f) != "" {
			t.Errorf("%s of nobody: known %t, text %q", d.Name, d.Known(&f), d.Text(&f))
		}

		// A pointer to the wrong member would leave the value of the right one unknown.
		if err := json.Unmarshal([]byte(`{"`+d.Name+`": `+samples[d.Kind]+`}`), &f); err != nil {
			t.Fatal(err)
		}
		if !d.Known(&f) || d.Text(&f) != texts[d.Kind] {
			t.Errorf("%s: known %t, text %q; want %q", d.Name, d.Known(&f), d.Text(&f), texts[d.Kind])
		}
	}
}

func TestFields_AreInOrderOfScope(t *testing.T) {
	if !slices.IsSortedFunc(Fields[:], func(a, b Field) int { return int(a.Scope) - int(b.Scope) }) {
		t.Error("Fields are not in the order of their scopes, on which exports rely")
	}

	names := map[string]bool{}
	for _, name := range FieldNames(ScopeMatch, ScopeRecord, ScopeDetails) {
		names[name] = true
	}
	if len(names) != len(Fields) {
		t.Errorf("%d different names of %d fields: %v", len(names), len(Fields), slices.Sorted(maps.Keys(names)))
	}
	if diff := cmp.Diff([]string{"description"}, FieldNames(ScopeRecord)); diff != "" {
		t.Errorf("fields of records alone (-want +got):\n%s", diff)
	}
}
