// Command docstyle reports functions whose doc comment doesn't say what the function does: "X is the …" and "X are …"
// describe a thing, not an action. Types and values may be described that way; functions return, report, read or write.
//
//	go run ./tools/docstyle DIR…
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// describes matches a doc comment that describes its function like a thing, after the name.
var describes = regexp.MustCompile(`^(is|are|as|of|in|for|with|what|how|whether)\b`)

func main() {
	found := 0
	for _, dir := range os.Args[1:] {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			n, err := check(path)
			found += n
			return err
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, "docstyle:", err)
			os.Exit(2)
		}
	}

	if found > 0 {
		fmt.Fprintf(os.Stderr, "docstyle: %d doc comments don't say what their function does\n", found)
		os.Exit(1)
	}
}

// check prints the faulty doc comments of a Go file and returns their number.
func check(path string) (int, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return 0, err
	}
	found := 0
	for _, declaration := range file.Decls {
		f, ok := declaration.(*ast.FuncDecl)
		if !ok || f.Doc == nil || strings.HasPrefix(f.Name.Name, "Test") {
			continue
		}
		if rest, named := strings.CutPrefix(f.Doc.Text(), f.Name.Name+" "); named && describes.MatchString(rest) {
			line, _, _ := strings.Cut(f.Doc.Text(), "\n")
			fmt.Printf("%s: %s\n", files.Position(f.Pos()), line)
			found++
		}
	}
	return found, nil
}
