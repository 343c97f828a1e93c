// Package snippet writes a request to the API as code: with the clients in clients/, and as a command of curl.
package snippet

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// KeyVariable is the environment variable from which the code, like the clients, reads the API key.
const KeyVariable = "MATCHING_API_KEY"

// How to install the clients.
const (
	installPython     = "pip install freelancer-matching"
	installTypeScript = "npm install freelancer-matching"
	goModule          = "github.com/freelancer-matching/service/clients/go"
)

// Request is a POST request to the API.
type Request struct {
	Origin  string   // of the server
	Path    string   // with the query
	Headers []string // "Name: value", besides the key and the content type
	Body    []byte   // indented JSON; nil for an upload
	File    string   // name of the file to upload in the field "file"; "" for none
}

// Snippet is a request as code.
type Snippet struct {
	ID       string // for elements of a page
	Language string
	Code     string
}

// All returns a request in every language that has a client with a method for it, and as a command.
func All(r Request) []Snippet {
	all := []Snippet{{"curl", "curl", Curl(r)}}
	m, ok := methodOf(r)
	if !ok {
		return all
	}
	return append(all,
		Snippet{"python", "Python", m.python()},
		Snippet{"typescript", "TypeScript", m.typeScript()},
		Snippet{"go", "Go", m.goProgram()},
	)
}

// Curl returns a command for a POSIX shell. In the shell, the body is a single word whatever it contains.
func Curl(r Request) string {
	lines := []string{"curl -s " + ShellWord(r.Origin+r.Path), `-H "X-API-Key: $` + KeyVariable + `"`}
	if r.File == "" {
		lines = append(lines, "-H 'Content-Type: application/json'")
	}
	for _, h := range r.Headers {
		lines = append(lines, "-H "+ShellWord(h))
	}
	if r.File != "" {
		lines = append(lines, "-F "+ShellWord("file=@"+r.File))
	} else {
		lines = append(lines, "-d "+ShellWord(string(r.Body)))
	}
	return strings.Join(lines, " \\\n  ")
}

// ShellWord quotes a text unless it is a plain word. Each quote in it closes the quotes, adds an escaped quote and
// opens them again.
func ShellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@=:._-/"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// A method of the clients sends a request.
type method struct {
	Request
	names  [3]string // in Python, TypeScript and Go
	goType string    // of the request in Go
	// keyword is the only field of a request that the methods take as a text, as JSON; "" for others.
	keyword        string
	idempotencyKey string // "" for none
	anonymize      bool   // the method gets this option
	listsMatches   bool   // the response is a list of matches
}

// methodOf returns the method for a request, or false if the clients have no such method.
func methodOf(r Request) (method, bool) {
	m := method{Request: r}
	for _, h := range r.Headers {
		if value, ok := strings.CutPrefix(h, "Idempotency-Key: "); ok {
			m.idempotencyKey = value
		}
	}

	path, query, _ := strings.Cut(r.Path, "?")
	switch path {
	case "/api/v1/match":
		m.names = [3]string{"match", "match", "Match"}
		m.goType = "MatchRequest"
		m.listsMatches = true
	case "/api/v1/match/explain":
		m.names = [3]string{"explain", "explain", "Explain"}
		m.goType = "ExplainRequest"
	case "/api/v1/verify-skill":
		m.names = [3]string{"verify_skill", "verifySkill", "VerifySkill"}
		var body struct{ Keyword json.RawMessage }
		if err := json.Unmarshal(r.Body, &body); err != nil || len(body.Keyword) == 0 || body.Keyword[0] != '"' {
			return m, false
		}
		m.keyword = string(body.Keyword)
	case "/api/v1/parse":
		m.names = [3]string{"resumes.parse", "resumes.parse", "Resumes.Parse"}
		m.anonymize = query == "anonymize=true"
	case "/api/v1/interview":
		m.names = [3]string{"interviews.conduct", "interviews.conduct", "Interviews.Conduct"}
		m.goType = "InterviewRequest"
	default:
		return m, false
	}
	return m, true
}

// python returns a script.
func (m *method) python() string {
	var b strings.Builder
	b.WriteString("# " + installPython + "\nfrom freelancer_matching import Client\n\n")

	var arguments []string
	switch {
	case m.File != "":
		arguments = append(arguments, strconv.Quote(m.File))
	case m.keyword != "":
		arguments = append(arguments, m.keyword)
	default:
		b.WriteString("request = " + pythonLiteral(string(m.Body)) + "\n\n")
		arguments = append(arguments, "**request")
	}
	if m.anonymize {
		arguments = append(arguments, "anonymize=True")
	}
	if m.idempotencyKey != "" {
		arguments = append(arguments, fmt.Sprintf("idempotency_key=%q", m.idempotencyKey))
	}

	fmt.Fprintf(&b, "with Client(url=%q) as client:\n    answer = client.%s(%s)\n", m.Origin, m.names[0],
		strings.Join(arguments, ", "))
	if m.listsMatches {
		b.WriteString("for match in answer[\"matches\"]:\n    print(match[\"score\"], match[\"freelancer\"][\"name\"])\n")
	} else {
		b.WriteString("print(answer)\n")
	}
	return b.String()
}

// pythonLiteral returns JSON as a literal of Python, which spells three of its words differently.
func pythonLiteral(json string) string {
	words := strings.NewReplacer("true", "True", "false", "False", "null", "None")
	var b strings.Builder

	for rest := json; rest != ""; {
		start := strings.IndexByte(rest, '"')
		if start < 0 {
			b.WriteString(words.Replace(rest))
			break
		}

		end := start + 1
		for end < len(rest) && rest[end] != '"' {
			// A backslash escapes the next character, which may be a quotation mark.
			if rest[end] == '\\' {
				end++
			}
			end++
		}

		end = min(end+1, len(rest))
		b.WriteString(words.Replace(rest[:start]))
		b.WriteString(rest[start:end])
		rest = rest[end:]
	}

	return b.String()
}

// typeScript returns a module, which is JavaScript, too.
func (m *method) typeScript() string {
	var b strings.Builder
	b.WriteString("// " + installTypeScript + "\nimport { Client } from \"freelancer-matching\";\n")

	argument := string(m.Body)
	switch {
	case m.File != "":
		b.WriteString("import { openAsBlob } from \"node:fs\";\n")
		argument = fmt.Sprintf("await openAsBlob(%q)", m.File)
	case m.keyword != "":
		argument = m.keyword
	}
	if m.anonymize {
		argument += ", { anonymize: true }"
	}
	if m.idempotencyKey != "" {
		argument += fmt.Sprintf(", { idempotencyKey: %q }", m.idempotencyKey)
	}

	fmt.Fprintf(&b, "\nconst client = new Client({ url: %q });\nconst answer = await client.%s(%s);\n", m.Origin,
		m.names[1], argument)
	if m.listsMatches {
		b.WriteString("for (const { score, freelancer } of answer.matches) console.log(score, freelancer.name);\n")
	} else {
		b.WriteString("console.log(answer);\n")
	}
	return b.String()
}

// goProgram returns a program.
func (m *method) goProgram() string {
	// The program imports only what it uses; Go would not compile it otherwise.
	imports := []string{"context", "encoding/json", "log", "os"}
	argument := "request"
	var prepare string
	switch {
	case m.File != "":
		prepare = fmt.Sprintf("\tfile, err := os.Open(%q)\n%s", m.File, goCheck)
		argument = "file"
	case m.keyword != "":
		var keyword string
		_ = json.Unmarshal([]byte(m.keyword), &keyword) // methodOf has decoded it before
		argument = strconv.Quote(keyword)
	default:
		prepare = fmt.Sprintf("\tvar request matching.%s\n\terr := json.Unmarshal([]byte(%s), &request)\n%s", m.goType,
			goString(string(m.Body)), goCheck)
	}
	if m.anonymize {
		argument += ", matching.Anonymize()"
	}
	if m.idempotencyKey != "" {
		argument += fmt.Sprintf(", matching.IdempotencyKey(%q)", m.idempotencyKey)
	}

	show := "\tif err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {\n\t\tlog.Fatal(err)\n\t}\n"
	if m.listsMatches {
		imports = []string{"context", "encoding/json", "fmt", "log"}
		show = "\tfor _, match := range answer.Matches {\n\t\tfmt.Println(match.Score, match.Freelancer.Name)\n\t}\n"
	}

	var b strings.Builder
	b.WriteString("// go get " + goModule + "\npackage main\n\nimport (\n")
	for _, name := range imports {
		fmt.Fprintf(&b, "\t%q\n", name)
	}
	if prepare != "" {
		prepare += "\n"
	}
	fmt.Fprintf(&b, "\n\tmatching %q\n)\n\nfunc main() {\n%s", goModule, prepare)
	fmt.Fprintf(&b, "\tclient := matching.NewClient(matching.Options{URLs: []string{%q}})\n", m.Origin)
	fmt.Fprintf(&b, "\tanswer, err := client.%s(context.Background(), %s)\n%s%s}\n", m.names[2], argument, goCheck, show)
	return b.String()
}

// goCheck ends a program on an error.
const goCheck = "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n"

// goString returns a literal: between backquotes if possible, because JSON is full of double quotes.
func goString(s string) string {
	if strings.ContainsAny(s, "`\r\ufeff") {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}
