package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// maxDepth is how deep properties are listed. The specification has no deeper ones that a reader needs.
const maxDepth = 5

// fields lists the properties of a schema and of the schemas in it. Above has the schemas around it, which are not
// listed again within themselves.
func (r *reader) fields(schema any, depth int, above []string) []Field {
	reference := ""
	isReference := false

	if o, ok := schema.(object); ok {
		reference, isReference = get(o, "$ref").(string)
	}

	// A schema that refers to itself, directly or through others, would have no end.
	circular := isReference && slices.Contains(above, reference)
	if depth > maxDepth || circular {
		return nil
	}

	if isReference {
		above = append(slices.Clone(above), reference)
	}

	s := r.follow(schema)
	if items := get(s, "items"); items != nil {
		return r.fields(items, depth, above)
	}

	var all []Field
	for _, alternative := range r.alternatives(s) {
		all = append(all, r.fields(alternative, depth, above)...)
	}

	required := list(s, "required")
	for _, property := range r.child(s, "properties") {
		name := fmt.Sprint(property.Key)
		if slices.ContainsFunc(all, func(f Field) bool { return f.Depth == depth && f.Name == name }) {
			continue // two alternatives have it
		}
		f := r.field(name, r.follow(property.Value))
		f.Depth, f.Required = depth, slices.Contains(required, any(name))
		all = append(append(all, f), r.fields(property.Value, depth+1, above)...)
	}

	return all
}

// alternatives returns the schemas of which a value meets one or all, without the schema of null.
func (r *reader) alternatives(s object) []any {
	var all []any
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		for _, one := range list(s, name) {
			if text(r.follow(one), "type") != "null" {
				all = append(all, one)
			}
		}
	}
	return all
}

func (r *reader) field(name string, s object) Field {
	f := Field{Name: name, Type: r.typeName(s), Limits: r.limits(s), Description: r.markdown(s)}
	if alternatives := r.alternatives(s); len(alternatives) == 1 {
		one := r.follow(alternatives[0])
		if f.Description == "" {
			f.Description = r.markdown(one)
		}
		if f.Limits == "" {
			f.Limits = r.limits(one)
		}
	}
	return f
}

// typeName names the type of a schema for people.
func (r *reader) typeName(s object) string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch kind := get(s, "type").(type) {
	case string:
		add(r.simpleType(s, kind))
	case []any:
		for _, k := range kind {
			add(r.simpleType(s, fmt.Sprint(k)))
		}
	}
	for _, alternative := range r.alternatives(s) {
		add(r.typeName(r.follow(alternative)))
	}
	return strings.Join(names, " or ")
}

func (r *reader) simpleType(s object, kind string) string {
	switch kind {
	case "null", "<nil>":
		return "null"
	case "array":
		if item := r.typeName(r.child(s, "items")); item != "" {
			return "list of " + plurals(item)
		}
		return "list"
	default:
		return kind
	}
}

// plurals returns the plural of every type in a type's name.
func plurals(name string) string {
	words := strings.Split(name, " or ")
	for i, w := range words {
		if w != "null" && !strings.HasPrefix(w, "list") {
			words[i] = w + "s"
		} else if rest, ok := strings.CutPrefix(w, "list"); ok {
			words[i] = "lists" + rest
		}
	}
	return strings.Join(words, " or ")
}

// limits says what values a schema allows, apart from their type.
func (r *reader) limits(s object) string {
	var parts []string
	add := func(part string) {
		if part != "" {
			parts = append(parts, part)
		}
	}

	// null among the values only says that the field may be left out.
	if values := list(s, "enum"); len(values) > 0 {
		var names []string
		for _, v := range values {
			if v != nil {
				names = append(names, fmt.Sprint(v))
			}
		}

		add("one of " + strings.Join(names, ", "))
	}

	if value := get(s, "const"); value != nil {
		add("always " + fmt.Sprint(value))
	}
	add(between(s, "minimum", "maximum", ""))

	if value := get(s, "exclusiveMinimum"); value != nil {
		add("more than " + number(value))
	}
	add(between(s, "minLength", "maxLength", " characters"))
	add(between(s, "minItems", "maxItems", " items"))
	add(between(s, "minProperties", "maxProperties", " entries"))

	// The formats of numbers are for generators.
	if format := text(s, "format"); format != "" && format != "double" && format != "int64" {
		add("format " + format)
	}

	// The limits of a list's items are part of the list's own line.
	if items := r.child(s, "items"); len(items) > 0 {
		if inner := r.limits(items); inner != "" {
			add("each " + inner)
		}
	}

	return strings.Join(parts, "; ")
}

// between words a lower and an upper limit, either of which may be absent.
func between(s object, low, high, unit string) string {
	from := get(s, low)
	to := get(s, high)
	switch {
	case from == nil && to == nil:
		return ""
	case from == nil:
		return "at most " + number(to) + unit
	case to == nil:
		return "at least " + number(from) + unit
	case number(from) == number(to):
		return number(to) + unit
	default:
		return number(from) + " to " + number(to) + unit
	}
}

// number formats a limit with separators between thousands.
func number(value any) string {
	if n, err := strconv.ParseInt(fmt.Sprint(value), 10, 64); err == nil {
		return humanize.Comma(n)
	}
	return fmt.Sprint(value)
}
