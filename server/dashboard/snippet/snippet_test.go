package snippet

import (
	"encoding/json"
	"go/ast"
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
	return Request{URL: "http://127.0.0.1:8080/api/v1/match", Headers: []string{"Prefer: wait"}, Body: body}
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

func TestPython_SendsTheBody(t *testing.T) {
	r := hostile(t)
	dir := t.TempDir()
	write(t, dir, "requests.py", `import json, sys
def post(url, headers, json=None, timeout=None, files=None):
    assert headers == {"X-API-Key": "secret", "Prefer": "wait"}, headers
    globals()["sent"] = json
    class Response:
        status_code = 200
        def json(self): return None
    import json as encoder
    print(encoder.dumps(json))
    sys.exit(0)
`)
	write(t, dir, "request.py", code(t, r, "python"))
	wantSame(t, run(t, dir, "python3", "request.py"), r.Body)
}

func TestJavaScript_SendsTheBody(t *testing.T) {
	r := hostile(t)
	dir := t.TempDir()
	write(t, dir, "request.mjs", `globalThis.fetch = async (url, request) => {
  console.log(request.body);
  process.exit(request.headers["X-API-Key"] === "secret" && request.headers.Prefer === "wait" ? 0 : 1);
};
`+code(t, r, "javascript"))
	wantSame(t, run(t, dir, "node", "request.mjs"), r.Body)
}

func TestGo_SendsTheBody(t *testing.T) {
	for _, plain := range []bool{true, false} {
		r := hostile(t)
		if plain {
			r.Body = []byte(`{"description": "a shop"}`)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "request.go", code(t, r, "go"), 0)
		if err != nil {
			t.Fatal(err)
		}

		var sent string
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "NewReader" {
					sent, err = strconv.Unquote(call.Args[0].(*ast.BasicLit).Value)
				}
			}
			return true
		})

		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, []byte(sent), r.Body)
	}
}

func TestUpload_NamesTheFile(t *testing.T) {
	for _, s := range All(Request{URL: "http://x/api/v1/parse?anonymize=true", File: "resume.pdf"}) {
		if !strings.Contains(s.Code, "resume.pdf") || strings.Contains(s.Code, "application/json") {
			t.Errorf("%s:\n%s", s.Language, s.Code)
		}
		if s.ID == "go" {
			if _, err := parser.ParseFile(token.NewFileSet(), "upload.go", s.Code, 0); err != nil {
				t.Error(err)
			}
		}
	}
}
