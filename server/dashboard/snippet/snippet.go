// Package snippet writes a request to the API as code in the languages of its clients.
package snippet

import (
	"fmt"
	"strconv"
	"strings"
)

// KeyVariable is the environment variable from which the code reads the API key.
const KeyVariable = "MATCHING_KEY"

// Request is a POST request to the API.
type Request struct {
	URL     string
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

// All returns a request in every language.
func All(r Request) []Snippet {
	return []Snippet{
		{"curl", "curl", Curl(r)},
		{"python", "Python", python(r)},
		{"javascript", "JavaScript", javaScript(r)},
		{"go", "Go", goProgram(r)},
	}
}

// Curl returns a command for a POSIX shell. In the shell, the body is a single word whatever it contains.
func Curl(r Request) string {
	lines := []string{"curl -s " + r.URL, `-H "X-API-Key: $` + KeyVariable + `"`}
	if r.File == "" {
		lines = append(lines, "-H 'Content-Type: application/json'")
	}
	for _, h := range r.Headers {
		lines = append(lines, "-H "+shellWord(h))
	}
	if r.File != "" {
		lines = append(lines, "-F "+shellWord("file=@"+r.File))
	} else {
		lines = append(lines, "-d "+shellWord(string(r.Body)))
	}
	return strings.Join(lines, " \\\n  ")
}

// shellWord quotes a text unless it is a plain word. Each quote in it closes the quotes, adds an escaped quote and
// opens them again.
func shellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@=._-/"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// python returns a script for the package requests.
func python(r Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "import os\nimport requests\n\nresponse = requests.post(\n    %q,\n    headers={\n", r.URL)
	fmt.Fprintf(&b, "        \"X-API-Key\": os.environ[%q],\n", KeyVariable)
	for _, h := range r.Headers {
		name, value, _ := strings.Cut(h, ": ")
		fmt.Fprintf(&b, "        %q: %q,\n", name, value)
	}
	b.WriteString("    },\n")
	if r.File != "" {
		fmt.Fprintf(&b, "    files={\"file\": open(%q, \"rb\")},\n", r.File)
	} else {
		fmt.Fprintf(&b, "    json=%s,\n", indent(pythonLiteral(string(r.Body)), "    "))
	}
	b.WriteString("    timeout=60,\n)\nprint(response.status_code, response.json())\n")
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

// javaScript returns a module for Node.js.
func javaScript(r Request) string {
	var b strings.Builder
	body := "JSON.stringify(" + indent(string(r.Body), "  ") + ")"

	if r.File != "" {
		fmt.Fprintf(&b, "import { openAsBlob } from \"node:fs\";\n\nconst body = new FormData();\n"+
			"body.append(\"file\", await openAsBlob(%q), %q);\n", r.File, r.File)
		body = ""
	}

	fmt.Fprintf(&b, "const response = await fetch(%s, {\n  method: \"POST\",\n  headers: {\n", strconv.Quote(r.URL))
	fmt.Fprintf(&b, "    \"X-API-Key\": process.env.%s,\n", KeyVariable)

	// fetch sets the content type of a form itself, with the boundary.
	if r.File == "" {
		b.WriteString("    \"Content-Type\": \"application/json\",\n")
	}

	for _, h := range r.Headers {
		name, value, _ := strings.Cut(h, ": ")
		fmt.Fprintf(&b, "    %q: %q,\n", name, value)
	}

	b.WriteString("  },\n  ")
	if body == "" {
		b.WriteString("body,\n")
	} else {
		b.WriteString("body: " + body + ",\n")
	}

	b.WriteString("});\nconsole.log(response.status, await response.json());\n")
	return b.String()
}

// goProgram returns a program that needs only the standard library.
func goProgram(r Request) string {
	var b strings.Builder
	imports := []string{"fmt", "io", "log", "net/http", "os"}
	prepare := "\tbody := strings.NewReader(" + goString(string(r.Body)) + ")\n"
	contentType := `"application/json"`

	// The program imports only what it uses; Go would not compile it otherwise.
	if r.File == "" {
		imports = append(imports, "strings")
	} else {
		imports = []string{"bytes", "fmt", "io", "log", "mime/multipart", "net/http", "os"}
		contentType = "form.FormDataContentType()"
		prepare = fmt.Sprintf("\tcontent, err := os.ReadFile(%[1]q)\n%[2]s\tbody := &bytes.Buffer{}\n"+
			"\tform := multipart.NewWriter(body)\n\tpart, err := form.CreateFormFile(\"file\", %[1]q)\n%[2]s"+
			"\tpart.Write(content)\n\tform.Close()\n", r.File, goCheck)
	}

	b.WriteString("package main\n\nimport (\n")
	for _, name := range imports {
		fmt.Fprintf(&b, "\t%q\n", name)
	}
	b.WriteString(")\n\nfunc main() {\n" + prepare)
	fmt.Fprintf(&b, "\treq, err := http.NewRequest(http.MethodPost, %s, body)\n%s", strconv.Quote(r.URL), goCheck)
	fmt.Fprintf(&b, "\treq.Header.Set(\"X-API-Key\", os.Getenv(%q))\n", KeyVariable)
	fmt.Fprintf(&b, "\treq.Header.Set(\"Content-Type\", %s)\n", contentType)

	for _, h := range r.Headers {
		name, value, _ := strings.Cut(h, ": ")
		fmt.Fprintf(&b, "\treq.Header.Set(%q, %q)\n", name, value)
	}

	b.WriteString("\tresp, err := http.DefaultClient.Do(req)\n" + goCheck +
		"\tdefer resp.Body.Close()\n\tanswer, err := io.ReadAll(resp.Body)\n" + goCheck +
		"\tfmt.Println(resp.Status, string(answer))\n}\n")

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

// indent indents all lines but the first.
func indent(text, by string) string { return strings.ReplaceAll(text, "\n", "\n"+by) }
