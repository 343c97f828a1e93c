// Command build generates the data files of the skill taxonomy, from openly licensed sources and the curated files, and
// of the dictionary, from a curated file:
//
//	go run ./mappings/build -sources DIR
//
// DIR contains one folder per source listed in NOTICE: esco, onet, github_topics, linguist, simple_icons and
// cncf_landscape. The same inputs always give the same bytes. The command prints how many entries of each source it
// added, merged and dropped.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	flags.SetOutput(stderr)
	sources := flags.String("sources", "", "`folder` that contains the sources (required)")
	curated := flags.String("curated", "mappings/curated", "`folder` that contains the curated files")
	out := flags.String("out", "mappings/taxonomy.v1.gz", "data `file` to write")
	words := flags.String("words", "mappings/dictionary.v1.gz", "dictionary `file` to write")
	conflicts := flags.Bool("conflicts", false, "list every name that more than one skill claims")

	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case *sources == "":
		fmt.Fprintln(stderr, "build: -sources is missing; set it to the folder that contains the sources")
		return 2
	}

	b, err := build(os.DirFS(*sources), os.DirFS(*curated))
	if err != nil {
		fmt.Fprintln(stderr, "build:", err)
		return 1
	}

	file, err := b.data().Encode()
	if err == nil {
		err = os.WriteFile(filepath.Clean(*out), file, 0o644) //nolint:gosec // the repository's files are world-readable
	}

	if err != nil {
		fmt.Fprintln(stderr, "build:", err)
		return 1
	}

	b.report(stdout, *conflicts)
	fmt.Fprintf(stdout, "%s: %d bytes\n", *out, len(file))
	if file, err = buildDictionary(os.DirFS(*curated)); err == nil {
		err = os.WriteFile(filepath.Clean(*words), file, 0o644) //nolint:gosec // the repository's files are world-readable
	}

	if err != nil {
		fmt.Fprintln(stderr, "build:", err)
		return 1
	}

	fmt.Fprintf(stdout, "%s: %d bytes\n", *words, len(file))
	return 0
}

// build reads the curated files and then the sources, the most trustworthy first: if several skills claim a name, the
// first keeps it.
func build(sources, curated fs.FS) (*builder, error) {
	b := newBuilder()
	steps := []struct {
		name string
		read func(*builder, fs.FS) error
		from fs.FS
	}{
		{"curated", readCurated, curated},
		{"linguist", readLinguist, sources},
		{"GitHub topics", readTopics, sources},
		{"CNCF landscape", readLandscape, sources},
		{"simple-icons", readIcons, sources},
		{"O*NET", readTechnology, sources},
		{"ESCO", readESCO, sources},
		{"job titles", readTitles, sources},
	}
	for _, step := range steps {
		b.source = step.name
		if err := step.read(b, step.from); err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}

		if step.name == "curated" {
			// Conflicts between foreign sources are expected, and the first one wins. In the curated files, they are
			// mistakes.
			if len(b.conflicts) > 0 {
				return nil, fmt.Errorf("several skills claim the same name:\n%s", strings.Join(b.conflicts, "\n"))
			}
			if err := b.link(); err != nil {
				return nil, err
			}
		}
	}

	return b, b.check()
}
