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

// prompts holds what models are told: for each task a text, whose first line is its name and version, with the request
// below a line of three hyphens, and the schema of its reply. A changed text or schema has another version.
//
//go:embed prompts
var prompts embed.FS

// promptFile is one of them.
type promptFile struct {
	name         string // with its version
	instructions string
	request      *template.Template // of the program's own words only
	schema       json.RawMessage
}

var (
	questionsPrompt = mustReadPrompt("interview-questions")
	answerPrompt    = mustReadPrompt("interview-answer")
	skillPrompt     = mustReadPrompt("skill-verdict")
)

// mustReadPrompt panics where a file is not as described: it is a part of the program.
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

// task is a task by this prompt, without data. It panics where the values do not fit the template.
func (p promptFile) task(values any) Task {
	var request strings.Builder
	if err := p.request.Execute(&request, values); err != nil {
		panic(err)
	}
	return Task{Name: p.name, Instructions: p.instructions, Request: request.String(), Schema: p.schema}
}

// languageName is the English name of a language by its code; English, where there is none of that code.
func languageName(code string) string {
	if tag, err := language.Parse(code); err == nil && tag != language.Und {
		if name := display.English.Languages().Name(tag); name != "" {
			return name
		}
	}
	return "English"
}
