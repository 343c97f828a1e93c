package llm

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// prompts holds two files per task. The text has the name and version in its first line, and the request below a line
// of three hyphens. The JSON file is the schema of the reply. Increase the version with every change of either.
//
//go:embed prompts
var prompts embed.FS

// promptFile is the prompt of a task.
type promptFile struct {
	name         string // with its version
	instructions string
	request      *template.Template // never contains data
	schema       json.RawMessage
}

var (
	questionsPrompt = mustReadPrompt("interview-questions")
	answerPrompt    = mustReadPrompt("interview-answer")
	skillPrompt     = mustReadPrompt("skill-verdict")
)

// mustReadPrompt reads the embedded prompt of a task. It panics if a file is malformed.
func mustReadPrompt(name string) promptFile {
	text, err := prompts.ReadFile("prompts/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	schema, err := prompts.ReadFile("prompts/" + name + ".json")
	if err != nil {
		panic(err)
	}
	versioned, rest, _ := strings.Cut(string(text), "\n")
	instructions, request, ok := strings.Cut(rest, "\n---\n")
	if !ok || !strings.HasPrefix(versioned, name+"@") {
		panic(fmt.Sprintf("prompt %s: want a first line %s@1, instructions, a line ---, and a request", name, name))
	}
	number := template.FuncMap{"number": func(index int) int { return index + 1 }}
	return promptFile{
		name: versioned, instructions: strings.TrimSpace(instructions), schema: schema,
		request: template.Must(template.New(name).Funcs(number).Parse(strings.TrimSpace(request))),
	}
}

// task returns a task with this prompt, without data. It panics if the values don't fit the template.
func (p promptFile) task(values any) Task {
	var request strings.Builder
	if err := p.request.Execute(&request, values); err != nil {
		panic(err)
	}
	return Task{Name: p.name, Instructions: p.instructions, Request: request.String(), Schema: p.schema}
}

// languageName returns the English name of a language code, or "English" for an unknown code.
func languageName(code string) string {
	if tag, err := language.Parse(code); err == nil && tag != language.Und {
		if name := display.English.Languages().Name(tag); name != "" {
			return name
		}
	}
	return "English"
}
