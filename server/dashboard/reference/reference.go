// Package reference turns the OpenAPI specification into what the pages of the API reference show.
package reference

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Document is the whole reference.
type Document struct {
	Version      string
	Introduction template.HTML
	Groups       []Group
	ErrorCodes   []string
}

// Group holds the operations of one tag.
type Group struct {
	Name       string
	Operations []*Operation
}

// Operation is one method of one path, or a message that the service sends to webhook endpoints.
type Operation struct {
	IsMessage                 bool // Path is its type then
	ID, Method, Path, Summary string
	Description               template.HTML
	Parameters                []Field // of the path, the query and the header
	Bodies                    []Body  // one for each content type that a request may have
	Responses                 []Response
	NeedsKey                  bool
}

// Body is the content of a request or a response.
type Body struct {
	ContentType string
	Fields      []Field
	Examples    []Example
}

// Response is what an operation responds with one status.
type Response struct {
	Status      string
	Description template.HTML
	Headers     []Field
	Bodies      []Body
}

// Example is a request or response, as indented JSON or as text.
type Example struct {
	Name    string // of the example in the specification
	Summary string // "" for none
	Text    string
}

// Field is a property of an object, a parameter or a header.
type Field struct {
	Name        string // of a nested property, without the names around it
	Depth       int    // 0 at the top level
	In          string // "path", "query" or "header"; "" for a property
	Type        string // for people, such as "list of strings"
	Required    bool
	Limits      string // what values are allowed, such as "1 to 100"; "" for any
	Description template.HTML
}

// Operation returns an operation by its id, or nil if there is none.
func (d *Document) Operation(id string) *Operation {
	for _, o := range d.Operations() {
		if o.ID == id {
			return o
		}
	}
	return nil
}

// Operations returns all operations in the order of the groups.
func (d *Document) Operations() []*Operation {
	var all []*Operation
	for _, g := range d.Groups {
		all = append(all, g.Operations...)
	}
	return all
}

// Request returns the first example of a JSON request, or "" if there is none.
func (o *Operation) Request() string {
	for _, b := range o.Bodies {
		if b.ContentType == typeJSON && len(b.Examples) > 0 {
			return b.Examples[0].Text
		}
	}
	return ""
}

const (
	typeJSON = "application/json"
	// messageGroup is the group of the messages to webhook endpoints, whatever their tags.
	messageGroup = "webhooks"
)

// Parse reads an OpenAPI document in YAML.
func Parse(document []byte) (*Document, error) {
	var root object
	if err := yaml.UnmarshalWithOptions(document, &root, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("read the specification: %w", err)
	}
	r := &reader{root: root, text: newMarkdown()}
	info := r.child(root, "info")
	d := &Document{Version: text(info, "version"), Introduction: r.markdown(info)}

	for _, tag := range list(root, "tags") {
		d.Groups = append(d.Groups, Group{Name: text(r.follow(tag), "name")})
	}
	for _, path := range r.child(root, "paths") {
		r.path(d, fmt.Sprint(path.Key), r.follow(path.Value), false)
	}

	if messages := r.child(root, "webhooks"); len(messages) > 0 {
		d.Groups = append(d.Groups, Group{Name: messageGroup})
		for _, message := range messages {
			r.path(d, fmt.Sprint(message.Key), r.follow(message.Value), true)
		}
	}

	codes := r.child(r.child(r.child(root, "components"), "schemas"), "ErrorCode")
	for _, code := range list(codes, "x-extensible-enum") {
		d.ErrorCodes = append(d.ErrorCodes, fmt.Sprint(code))
	}
	return d, r.err
}

// path adds the operations of a path, or a message, to their groups.
func (r *reader) path(d *Document, path string, item object, isMessage bool) {
	for _, entry := range item {
		method := strings.ToUpper(fmt.Sprint(entry.Key))
		if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) {
			continue
		}

		source := r.follow(entry.Value)
		o := &Operation{
			IsMessage: isMessage, ID: text(source, "operationId"), Method: method, Path: path,
			Summary: text(source, "summary"), Description: r.markdown(source),
			NeedsKey: get(source, "security") == nil && !isMessage,
		}

		// Parameters of the path apply to all of its methods.
		for _, p := range append(list(item, "parameters"), list(source, "parameters")...) {
			o.Parameters = append(o.Parameters, r.parameter(r.follow(p)))
		}

		body := r.child(source, "requestBody")
		o.Bodies = r.bodies(body)
		if !isMessage {
			withoutNull(o.Bodies)
		}

		for _, response := range r.child(source, "responses") {
			o.Responses = append(o.Responses, r.response(fmt.Sprint(response.Key), r.follow(response.Value)))
		}

		tag := ""
		if tags := list(source, "tags"); isMessage {
			tag = messageGroup
		} else if len(tags) > 0 {
			tag = fmt.Sprint(tags[0])
		}

		// The list of groups is the file's list of tags; an operation outside of them would appear nowhere.
		i := slices.IndexFunc(d.Groups, func(g Group) bool { return g.Name == tag })
		if i < 0 {
			r.fail("operation %s has the unknown tag %q", o.ID, tag)
			continue
		}

		d.Groups[i].Operations = append(d.Groups[i].Operations, o)
	}
}

// withoutNull leaves null out of the types of a request: it counts as absent.
func withoutNull(bodies []Body) {
	for _, b := range bodies {
		for i := range b.Fields {
			b.Fields[i].Type = strings.TrimSuffix(b.Fields[i].Type, " or null")
		}
	}
}

func (r *reader) response(status string, source object) Response {
	response := Response{Status: status, Description: r.markdown(source), Bodies: r.bodies(source)}
	for _, header := range r.child(source, "headers") {
		target := r.follow(header.Value)
		f := r.field(fmt.Sprint(header.Key), r.child(target, "schema"))
		f.In, f.Description = "header", r.markdown(target)
		response.Headers = append(response.Headers, f)
	}
	return response
}

func (r *reader) parameter(source object) Field {
	f := r.field(text(source, "name"), r.child(source, "schema"))
	f.In, f.Required = text(source, "in"), get(source, "required") == true
	if description := r.markdown(source); description != "" {
		f.Description = description
	}
	return f
}

// bodies reads the contents of a request or response.
func (r *reader) bodies(source object) []Body {
	var bodies []Body
	for _, content := range r.child(source, "content") {
		b := Body{ContentType: fmt.Sprint(content.Key)}
		media := r.follow(content.Value)
		b.Fields = r.fields(get(media, "schema"), 0, nil)
		for _, e := range r.child(media, "examples") {
			example := r.follow(e.Value)
			b.Examples = append(b.Examples, Example{
				Name: fmt.Sprint(e.Key), Summary: text(example, "summary"), Text: exampleText(get(example, "value")),
			})
		}
		if value := get(media, "example"); value != nil {
			b.Examples = append(b.Examples, Example{Text: exampleText(value)})
		}
		bodies = append(bodies, b)
	}
	return bodies
}
