package reference

import (
	"slices"
	"strings"
)

// maxFields is how many fields the search names for each operation.
const maxFields = 5

// A searchResult has the groups with the operations that a search finds.
type searchResult struct {
	Groups []Group
	Found  int
	Fields map[string][]string // names of fields that have one of the words, by the ID of the operation
}

// search returns the operations whose texts have all words of a query, in any case.
func (d *Document) search(query string) searchResult {
	words := strings.Fields(strings.ToLower(query))
	result := searchResult{Fields: map[string][]string{}}
	for _, g := range d.Groups {
		found := Group{Name: g.Name}
		for _, o := range g.Operations {
			text, fields := o.searchText()
			hasWord := func(word string) bool { return strings.Contains(text, word) }
			if !all(words, hasWord) {
				continue
			}
			found.Operations = append(found.Operations, o)
			result.Fields[o.ID] = fieldsWith(fields, words)
		}
		if len(found.Operations) > 0 {
			result.Groups = append(result.Groups, found)
			result.Found += len(found.Operations)
		}
	}
	return result
}

func all(words []string, ok func(string) bool) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !ok(word) })
}

// searchText returns the texts of an operation in lower case, and the names of its fields.
func (o *Operation) searchText() (text string, fields []string) {
	var b strings.Builder
	add := func(texts ...string) {
		for _, t := range texts {
			b.WriteString(strings.ToLower(t))
			b.WriteByte('\n')
		}
	}
	addFields := func(list []Field) {
		for i := range list {
			add(list[i].Name, string(list[i].Description))
			fields = append(fields, list[i].Name)
		}
	}

	add(o.ID, o.Method+" "+o.Path, o.Summary, string(o.Description))
	addFields(o.Parameters)
	bodies := slices.Clone(o.Bodies)
	for i := range o.Responses {
		r := &o.Responses[i]
		add(r.Status, string(r.Description))
		addFields(r.Headers)
		bodies = append(bodies, r.Bodies...)
	}
	for i := range bodies {
		addFields(bodies[i].Fields)
	}
	return b.String(), fields
}

// fieldsWith returns the first fields whose names have one of the words.
func fieldsWith(fields, words []string) (named []string) {
	for _, name := range fields {
		hasWord := slices.ContainsFunc(words, func(word string) bool {
			return strings.Contains(strings.ToLower(name), word)
		})
		if hasWord && !slices.Contains(named, name) && len(named) < maxFields {
			named = append(named, name)
		}
	}
	return named
}
