// Command docstyle checks what a reader of the code needs and no other linter looks at.
//
// It fails on two faults:
//
//   - a doc comment that doesn't say what its function does: "X is the …" and "X are …" describe a thing, not an
//     action. Types and values may be described that way; functions return, report, read or write;
//   - a function over 25 lines without a blank line, because its steps can't be told apart. One or two statements, such
//     as a table and the loop over it, need none, and neither do tests.
//
// It also prints how many blank lines and comments the long functions of each package have (flag -table). The goal is
// at least 5 blank lines and 3 lines with a comment in 100; packages below it are marked.
//
//	go run ./tools/docstyle [-table] DIR…
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	maxSolid    = 25 // lines that a function may have without a blank line
	long        = 20 // functions with more lines count in the table
	minBlank    = 5  // blank lines in 100 lines of long functions
	minComments = 3  // lines with a comment in 100 lines of long functions
	minSample   = 60 // lines of long functions from which on a package's density is judged
)

// describes matches a doc comment that describes its function like a thing, after the name.
var describes = regexp.MustCompile(`^(is|are|as|of|in|for|with|what|how|whether)\b`)

func main() {
	table := flag.Bool("table", false, "print blank lines and comments per 100 lines of the long functions, by package")
	flag.Parse()

	faults, err := run(flag.Args(), *table, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "docstyle:", err)
		os.Exit(2)
	}
	if faults > 0 {
		fmt.Fprintf(os.Stderr, "docstyle: %d places to improve; CONTRIBUTING.md shows how\n", faults)
		os.Exit(1)
	}
}

// run checks the Go files under the given folders. It prints the faults, and the table if that is wanted, and returns
// the number of faults.
func run(dirs []string, table bool, out io.Writer) (faults int, err error) {
	packages := map[string]*density{}
	for _, dir := range dirs {
		tree := os.DirFS(dir)
		err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") {
				return err
			}

			source, err := fs.ReadFile(tree, name)
			if err != nil {
				return err
			}

			path := filepath.Join(dir, name)

			of := &density{} // the doc comments of tests are checked, but their lines don't count
			isTest := strings.HasSuffix(path, "_test.go")
			if !isTest {
				of = entryOf(packages, filepath.Dir(path))
			}

			n, err := check(path, source, isTest, of, out)
			faults += n
			return err
		})
		if err != nil {
			return faults, err
		}
	}

	for _, name := range slices.Sorted(maps.Keys(packages)) {
		// A few lines say little about how a package is written.
		counted := packages[name]
		if counted.lines < minSample {
			continue
		}

		mark := ""
		if counted.blank < minBlank*counted.lines/100 || counted.comments < minComments*counted.lines/100 {
			mark = " (below the goal)"
		}
		if table {
			fmt.Fprintf(out, "%-34s %s%s\n", name, counted, mark)
		}
	}

	return faults, nil
}

// A density counts the lines of the long functions of a package.
type density struct{ lines, blank, comments int }

func (d *density) String() string {
	per := func(n int) float64 { return 100 * float64(n) / float64(d.lines) }
	return fmt.Sprintf("%.1f blank lines and %.1f comments in 100 of %d lines", per(d.blank), per(d.comments), d.lines)
}

func entryOf(packages map[string]*density, name string) *density {
	if packages[name] == nil {
		packages[name] = &density{}
	}
	return packages[name]
}

// check prints the faults of a Go file, adds the lines of its long functions to a density, and returns the number of
// faults.
func check(path string, source []byte, isTest bool, of *density, out io.Writer) (faults int, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return 0, err
	}

	lines := bytes.Split(source, []byte("\n"))
	commented := commentedLines(files, file)

	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		position := files.Position(function.Pos())

		if describesThing(function) {
			doc, _, _ := strings.Cut(function.Doc.Text(), "\n")
			fmt.Fprintf(out, "%s: %s\n", position, doc)
			faults++
		}

		var counted density
		for line := position.Line; line <= files.Position(function.End()).Line; line++ {
			counted.lines++
			if len(bytes.TrimSpace(lines[line-1])) == 0 {
				counted.blank++
			}
			if commented[line] {
				counted.comments++
			}
		}

		// A table and the loop over it have no steps, however long they are.
		hasSteps := !isTest && function.Body != nil && len(function.Body.List) > 2
		isSolid := counted.lines > maxSolid && counted.blank == 0
		if isSolid && hasSteps {
			fmt.Fprintf(out, "%s: %s has %d lines without a blank one between its steps\n", position,
				function.Name.Name, counted.lines)
			faults++
		}

		if counted.lines > long {
			of.lines += counted.lines
			of.blank += counted.blank
			of.comments += counted.comments
		}
	}

	return faults, nil
}

// describesThing reports whether the doc comment of a function describes it like a thing.
func describesThing(f *ast.FuncDecl) bool {
	if f.Doc == nil || strings.HasPrefix(f.Name.Name, "Test") {
		return false
	}
	rest, named := strings.CutPrefix(f.Doc.Text(), f.Name.Name+" ")
	return named && describes.MatchString(rest)
}

// commentedLines returns the lines of a file that have a comment for readers, not one for a tool such as nolint.
func commentedLines(files *token.FileSet, file *ast.File) map[int]bool {
	commented := map[int]bool{}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if !strings.HasPrefix(comment.Text, "// ") && !strings.HasPrefix(comment.Text, "/*") {
				continue
			}

			first, last := files.Position(comment.Pos()).Line, files.Position(comment.End()).Line
			for line := first; line <= last; line++ {
				commented[line] = true
			}
		}
	}
	return commented
}
