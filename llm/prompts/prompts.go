// Package prompts has the instructions that language models receive, as versioned files for people to review.
package prompts

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/llm"
)

// files holds two files per task. The text has the name and version in its first line, and the request below a line
// of three hyphens. The JSON file is the schema of the reply. Increase the version with every change of either.
//
//go:embed *.txt *.json
var files embed.FS

// A Prompt is the prompt of a task.
type Prompt struct {
	Name         string // with its version
	instructions string
	request      *template.Template // never contains data
	Schema       json.RawMessage    // of the reply
}

// MustRead reads the embedded prompt of a task. It panics if the task has no prompt, or if a file is
// malformed.
func MustRead(name string) Prompt {
	text, err := files.ReadFile(name + ".txt")
	if err != nil {
		panic(err)
	}
	schema, err := files.ReadFile(name + ".json")
	if err != nil {
		panic(err)
	}
	versioned, rest, _ := strings.Cut(string(text), "\n")
	instructions, request, ok := strings.Cut(rest, "\n---\n")
	if !ok || !strings.HasPrefix(versioned, name+"@") {
		panic(fmt.Sprintf("prompt %s: want a first line %s@1, instructions, a line ---, and a request", name, name))
	}
	number := template.FuncMap{"number": func(index int) int { return index + 1 }}
	return Prompt{
		Name: versioned, instructions: strings.TrimSpace(instructions), Schema: schema,
		request: template.Must(template.New(name).Funcs(number).Parse(strings.TrimSpace(request))),
	}
}

// Task returns a task with this prompt, without data. It panics if the values don't fit the template.
func (p *Prompt) Task(values any) llm.Task {
	var request strings.Builder
	if err := p.request.Execute(&request, values); err != nil {
		panic(err)
	}
	return llm.Task{Name: p.Name, Instructions: p.instructions, Request: request.String(), Schema: p.Schema}
}

// Language returns the English name of a language code, or "English" for an unknown code.
func Language(code string) string {
	if tag, err := language.Parse(code); err == nil && tag != language.Und {
		if name := display.English.Languages().Name(tag); name != "" {
			return name
		}
	}
	return "English"
}
