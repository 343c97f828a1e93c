package integration

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/server/api/wire"
)

// Most packages read matching.Fields. The places here are typed, or are no Go, so this test says which of them lack a
// field. docs/adr/0064-fields.md has the steps of adding one.
func TestFields_AreEverywhere(t *testing.T) {
	for i := range matching.Fields {
		f := &matching.Fields[i]
		for _, place := range fieldPlaces(t) {
			if slices.Contains(place.scopes, f.Scope) && !place.has(f.Name) {
				t.Errorf("%s has no %s, which is a field of a freelancer; add it there", place.name, f.Name)
			}
		}
	}
}

// A fieldPlace is one that must have the fields of some scopes.
type fieldPlace struct {
	name   string
	scopes []matching.Scope
	has    func(field string) bool
}

func fieldPlaces(t *testing.T) []fieldPlace {
	t.Helper()
	matches := []matching.Scope{matching.ScopeMatch}
	details := []matching.Scope{matching.ScopeDetails}
	all := []matching.Scope{matching.ScopeMatch, matching.ScopeRecord, matching.ScopeDetails}
	schema := func(name string, scopes []matching.Scope) fieldPlace {
		return fieldPlace{"the schema " + name + " in server/openapi/openapi.yaml", scopes, schemaMembers(t, name)}
	}
	form := readFile(t, "../server/dashboard/templates/freelancer.html")

	return []fieldPlace{
		{"wire.Freelancer", matches, jsonMembers(reflect.TypeFor[wire.Freelancer]())},
		{"wire.Details", details, jsonMembers(reflect.TypeFor[wire.Details]())},
		schema("Freelancer", matches), schema("Details", details),
		schema("FreelancerRecord", all),
		{"the form server/dashboard/templates/freelancer.html", all, func(name string) bool {
			return strings.Contains(form, `. "`+name+`" "`)
		}},
		{"the headers of columns in indexer/source/headers/en.txt", all, func(name string) bool {
			header, ok := headers.Lookup(name)
			return ok && header.Field.String() == name
		}},
	}
}

// jsonMembers returns a predicate for the JSON names of a struct.
func jsonMembers(of reflect.Type) func(string) bool {
	names := map[string]bool{}
	for _, member := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(member.Tag.Get("json"), ",")
		names[name] = true
	}
	return func(name string) bool { return names[name] }
}

// schemaMembers returns a predicate for the properties of a schema of the API.
func schemaMembers(t *testing.T, name string) func(string) bool {
	t.Helper()
	var specification struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "../server/openapi/openapi.yaml")), &specification); err != nil {
		t.Fatal(err)
	}
	properties := specification.Components.Schemas[name].Properties
	return func(field string) bool { _, ok := properties[field]; return ok }
}

// Filters ask Elasticsearch for some fields. Their types there must fit the values; the others are in the record, which
// isn't indexed.
func TestFields_FitTheMapping(t *testing.T) {
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}
	var definition struct {
		Mappings struct {
			Properties map[string]struct{ Type string }
		}
	}
	if err := json.Unmarshal(mapping.JSON, &definition); err != nil {
		t.Fatal(err)
	}

	types := map[matching.Kind]string{
		matching.KindDate:   "long", // days since 1970-01-01
		matching.KindNumber: "double", matching.KindInteger: "integer", matching.KindFlag: "boolean",
		matching.KindSkills: "keyword",
	}
	for i := range matching.Fields {
		f := &matching.Fields[i]
		property, isIndexed := definition.Mappings.Properties[f.Name]
		if isIndexed && property.Type != types[f.Kind] {
			t.Errorf("%s has the type %s in mappings/%s.json; its kind requires %s",
				f.Name, property.Type, mappings.Freelancers, types[f.Kind])
		}
	}
}
