package snippet

import (
	"encoding/json"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// hostile returns a request whose body tries to leave the quotes of every language.
func hostile(t *testing.T) Request {
	t.Helper()
	body, err := json.MarshalIndent(map[string]any{
		"description": "it's $(touch pwned) \"quoted\" \\ back`id` ${x} true null \u2028 \ufeff é 😀 \"\"\" \r\n\t #{x} %s",
		"explain":     true, "details": false, "nothing": nil, "budget_range": []float64{10, 20.5},
		"true": map[string]any{"null": "false\\"},
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return Request{
		Origin: "http://127.0.0.1:8080", Path: "/api/v1/interview", Headers: []string{"Idempotency-Key: a\"b'"}, Body: body,
	}
}

// code returns the snippet in a language.
func code(t *testing.T, r Request, language string) string {
	t.Helper()
	for _, s := range All(r) {
		if s.ID == language {
			return s.Code
		}
	}
	t.Fatalf("no snippet in %s", language)
	return ""
}

// wantSame fails the test unless two JSON documents are equal.
func wantSame(t *testing.T, got, want []byte) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(want, &b); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the code sends %s, want %s", got, want)
	}
}

// run runs a program and returns what it prints. Without the program, the test is skipped.
func run(t *testing.T, dir, program string, args ...string) []byte {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), KeyVariable+"=secret")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return out
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCurl_SendsTheBody(t *testing.T) {
	r := hostile(t)
	dir := t.TempDir()
	last := `curl() { for word; do last=$word; done; printf %s "$last"; }; `
	wantSame(t, run(t, dir, "sh", "-c", last+code(t, r, "curl")), r.Body)
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("the shell ran a command in the body")
	}
}

// The client of Python is replaced by one that prints what its method gets.
const fakePython = `import json
class Client:
    def __init__(self, url):
        assert url == "http://127.0.0.1:8080"
        self.interviews = self
    def __enter__(self):
        return self
    def __exit__(self, *failure):
        pass
    def conduct(self, idempotency_key, **request):
        assert idempotency_key == "a\"b'"
        print(json.dumps(request))
        raise SystemExit
    def verify_skill(self, keyword):
        print(json.dumps({"keyword": keyword}))
        raise SystemExit
`

func TestPython_SendsTheBody(t *testing.T) {
	for _, r := range []Request{hostile(t), hostileKeyword(t)} {
		dir := t.TempDir()
		write(t, dir, "freelancer_matching.py", fakePython)
		write(t, dir, "request.py", code(t, r, "python"))
		wantSame(t, run(t, dir, "python3", "request.py"), r.Body)
	}
}

// The client of TypeScript is replaced by one that prints what its method gets.
const fakeTypeScript = `export class Client {
  constructor({ url }) {
    if (url !== "http://127.0.0.1:8080") throw url;
    this.interviews = {
      conduct(request, { idempotencyKey }) {
        if (idempotencyKey !== "a\"b'") throw idempotencyKey;
        console.log(JSON.stringify(request));
        process.exit();
      },
    };
  }
  verifySkill(keyword) {
    console.log(JSON.stringify({ keyword }));
    process.exit();
  }
}
`

func TestTypeScript_SendsTheBody(t *testing.T) {
	for _, r := range []Request{hostile(t), hostileKeyword(t)} {
		dir := t.TempDir()
		module := filepath.Join(dir, "node_modules", "freelancer-matching")
		if err := os.MkdirAll(module, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, module, "package.json", `{"type": "module", "exports": "./index.js"}`)
		write(t, module, "index.js", fakeTypeScript)
		write(t, dir, "request.mjs", code(t, r, "typescript"))
		wantSame(t, run(t, dir, "node", "request.mjs"), r.Body)
	}
}

// hostileKeyword returns a request about a skill whose name tries to leave the quotes of every language.
func hostileKeyword(t *testing.T) Request {
	t.Helper()
	var request map[string]any
	if err := json.Unmarshal(hostile(t).Body, &request); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"keyword": request["description"]})
	if err != nil {
		t.Fatal(err)
	}
	return Request{Origin: "http://127.0.0.1:8080", Path: "/api/v1/verify-skill", Body: body}
}

func TestGo_SendsTheBody(t *testing.T) {
	plain := hostile(t)
	plain.Body = []byte(`{"description": "a shop"}`)
	for _, r := range []Request{hostile(t), plain} {
		wantSame(t, []byte(literalIn(t, code(t, r, "go"), "byte")), r.Body)
	}

	r := hostileKeyword(t)
	keyword, err := json.Marshal(map[string]string{"keyword": literalIn(t, code(t, r, "go"), "VerifySkill")})
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, keyword, r.Body)
}

// literalIn returns the text that a Go program passes to a function last, or converts to bytes.
func literalIn(t *testing.T, program, function string) (text string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "request.go", program, 0)
	if err != nil {
		t.Fatalf("%v in\n%s", err, program)
	}

	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := ""
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			name = f.Sel.Name
		case *ast.ArrayType:
			name = f.Elt.(*ast.Ident).Name
		}
		if name == function {
			text, err = strconv.Unquote(call.Args[len(call.Args)-1].(*ast.BasicLit).Value)
		}
		return true
	})

	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Programs in Go look as gofmt writes them.
func TestGo_IsFormatted(t *testing.T) {
	for _, r := range []Request{
		hostile(t),
		hostileKeyword(t),
		{Path: "/api/v1/match", Body: []byte(`{"limit": 3}`)},
		{Path: "/api/v1/match/explain", Body: []byte(`{}`)},
		{Path: "/api/v1/parse?anonymize=true", File: "resume.pdf"},
	} {
		program := code(t, r, "go")
		formatted, err := format.Source([]byte(program))
		if err != nil || string(formatted) != program {
			t.Errorf("%v in\n%s", err, program)
		}
	}
}

func TestUpload_NamesTheFile(t *testing.T) {
	all := All(Request{Origin: "http://x", Path: "/api/v1/parse?anonymize=true", File: "resume.pdf"})
	if len(all) != 4 {
		t.Errorf("%d snippets, want 4", len(all))
	}
	for _, s := range all {
		isComplete := strings.Contains(s.Code, "resume.pdf") && strings.Contains(strings.ToLower(s.Code), "anonymize")
		if !isComplete || strings.Contains(s.Code, "application/json") {
			t.Errorf("%s:\n%s", s.Language, s.Code)
		}
	}
}

// A path without a method of the clients, and a body of another shape, leave the command.
func TestAll_WithoutAMethod(t *testing.T) {
	for _, r := range []Request{
		{Path: "/api/v1/other", Body: []byte(`{}`)},
		{Path: "/api/v1/verify-skill", Body: []byte(`{"keyword": 7}`)},
		{Path: "/api/v1/verify-skill", Body: []byte(`[]`)},
	} {
		if all := All(r); len(all) != 1 || all[0].ID != "curl" {
			t.Errorf("%s: %v", r.Path, all)
		}
	}
}

// From a key to the first match, there are at most ten lines to paste. clients/run runs them.
func TestFirst_IsShort(t *testing.T) {
	all := First("https://match.example.com", "svc_fr_0")
	for _, s := range all {
		lines := strings.Split(s.Code, "\n")
		if len(lines) > 10 || lines[0] != "export MATCHING_API_KEY=svc_fr_0" {
			t.Errorf("%s: %d lines\n%s", s.Language, len(lines), s.Code)
		}
		if !strings.Contains(s.Code, "https://match.example.com") {
			t.Errorf("%s lacks the origin", s.Language)
		}
	}
	if len(all) != 4 || strings.Contains(First("https://match.example.com", "")[0].Code, "export") {
		t.Errorf("%d snippets, want 4", len(all))
	}
}

// Shells such as zsh look for files that match a URL with a question mark.
func TestCurl_QuotesTheURLIfNeeded(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/match":                  "curl -s http://127.0.0.1:8080/api/v1/match \\\n",
		"/api/v1/parse?anonymize=true":   "curl -s 'http://127.0.0.1:8080/api/v1/parse?anonymize=true' \\\n",
		"/api/v1/match?unknown=null&x=1": "curl -s 'http://127.0.0.1:8080/api/v1/match?unknown=null&x=1' \\\n",
	} {
		got := Curl(Request{Origin: "http://127.0.0.1:8080", Path: path, Body: []byte("{}")})
		if !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
