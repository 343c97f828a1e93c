package reference

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// object is a mapping of the specification, in its order.
type object = yaml.MapSlice

// reader reads parts of a specification. The first error of the methods is kept in err.
type reader struct {
	root object
	text goldmark.Markdown
	err  error
}

func (r *reader) fail(format string, values ...any) {
	r.err = errors.Join(r.err, fmt.Errorf(format, values...))
}

// newMarkdown returns a converter that leaves out HTML in its input.
func newMarkdown() goldmark.Markdown { return goldmark.New(goldmark.WithExtensions(extension.Table)) }

// get returns the value of a key, or nil if there is none.
func get(o object, key string) any {
	for _, item := range o {
		if item.Key == key {
			return item.Value
		}
	}
	return nil
}

// text returns the string at a key, or "".
func text(o object, key string) string {
	s, _ := get(o, key).(string)
	return s
}

// list returns the list at a key, or nil.
func list(o object, key string) []any {
	values, _ := get(o, key).([]any)
	return values
}

// child returns the object at a key, or the one that it refers to.
func (r *reader) child(o object, key string) object { return r.follow(get(o, key)) }

// follow returns an object, or the one that it refers to by $ref. Any other value gives nil.
func (r *reader) follow(value any) object {
	o, _ := value.(object)

	// A reference may lead to another one. Eight of them in a row are a circle.
	for range 8 {
		reference, ok := get(o, "$ref").(string)
		if !ok {
			return o
		}
		target := any(r.root)
		for name := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
			parent, _ := target.(object)
			target = get(parent, name)
		}

		next, ok := target.(object)
		if !ok {
			r.fail("%s refers to nothing", reference)
			return nil
		}

		o = next
	}

	r.fail("references go in a circle")
	return nil
}

// markdown returns the description of an object as HTML.
func (r *reader) markdown(o object) template.HTML {
	description := text(o, "description")
	if description == "" {
		return ""
	}
	var page bytes.Buffer
	if err := r.text.Convert([]byte(description), &page); err != nil {
		r.fail("description of an object: %w", err)
	}
	return template.HTML(page.String()) //nolint:gosec // the converter escapes HTML, and the input is our own file
}

// exampleText returns an example for people to read: JSON is indented, with each short list on one line.
func exampleText(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, appendJSON(nil, value), "", "  "); err != nil {
		return fmt.Sprint(value)
	}
	return shortListPattern.ReplaceAllStringFunc(indented.String(), func(items string) string {
		oneLine := "[" + strings.Join(strings.Fields(strings.Trim(items, "[] \n")), " ") + "]"
		if len(oneLine) > 80 {
			return items
		}
		return oneLine
	})
}

// shortListPattern matches a list without lists and objects in indented JSON.
var shortListPattern = regexp.MustCompile(`\[\n[^\[\]{}]*\n *\]`)

// appendJSON appends a value as JSON, with the keys in the specification's order.
func appendJSON(b []byte, value any) []byte {
	switch v := value.(type) {
	case object:
		// encoding/json would sort the members; here they keep the order of the file.
		b = append(b, '{')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, fmt.Sprint(item.Key))
			b = appendJSON(append(b, ':'), item.Value)
		}

		return append(b, '}')

	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}

		return append(b, ']')

	default:
		var scalar bytes.Buffer
		encoder := json.NewEncoder(&scalar)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			return append(b, "null"...)
		}
		return slices.Concat(b, bytes.TrimSpace(scalar.Bytes()))
	}
}
