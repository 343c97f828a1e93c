package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	pathpkg "path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A listed package is a package as `go list -json` prints it.
type listed struct {
	Dir, ImportPath string
	Standard        bool
	GoFiles         []string
	Module          *struct{ Main bool }
}

// list returns packages with everything that they import.
func list(t *testing.T, packages ...string) (all []listed) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go",
		append([]string{"list", "-deps", "-json=Dir,ImportPath,Standard,GoFiles,Module"}, packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// A newcomer's first command compiles every dependency, and time grows with the size of the source. Packages of 2 to 4
// MB took 23 to 31 seconds each before they were replaced (docs/adr/0039-cold-start.md).
func TestDependencies_AreQuickToCompile(t *testing.T) {
	const limit = 1_000_000 // bytes
	larger := map[string]bool{
		"modernc.org/sqlite/lib":             true, // the database, compiled from C
		"modernc.org/libc":                   true, // what it calls
		"github.com/xuri/excelize/v2":        true, // reads uploaded workbooks (docs/adr/0086-uploads.md)
		"github.com/parquet-go/parquet-go":   true, // the same for Parquet
		"github.com/andybalholm/brotli":      true, // pages of Parquet files; tables that compile in 1.5 seconds
		"golang.org/x/text/language/display": true, // names in tables, which compile in less than a second
	}
	for _, p := range list(t, ".") {
		if p.Standard {
			continue
		}
		size := int64(0)
		for _, file := range p.GoFiles {
			info, err := os.Stat(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
		}

		if size > limit && !larger[p.ImportPath] {
			t.Errorf("%s has %d bytes of source; find a smaller package, or add it to this test with its reason",
				p.ImportPath, size)
		}
	}
}

// The image is built from the folders that .dockerignore lets through.
func TestImage_HasAllFolders(t *testing.T) {
	text, err := os.ReadFile("../../.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			sent[name] = true
		}
	}

	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}

	for _, p := range list(t, "../../packaging/program") {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		path, err := filepath.Rel(root, p.Dir)
		if err != nil {
			t.Fatal(err)
		}

		if !hasParent(sent, filepath.ToSlash(path)) {
			t.Errorf("%s is missing in .dockerignore: add it, or the folder that it is in", p.ImportPath)
		}
	}
}

// hasParent reports whether a path or a folder that it is in is among some.
func hasParent(some map[string]bool, path string) bool {
	for ; path != "."; path = pathpkg.Dir(path) {
		if some[path] {
			return true
		}
	}
	return false
}

// Somebody who can change a tag in a registry could otherwise change what operators run.
func TestImages_ArePinned(t *testing.T) {
	unpinned := map[string]bool{
		"docker.elastic.co/elasticsearch/elasticsearch:8.19.13": true, // no public record of its digest; see make images
	}
	named := regexp.MustCompile(`(?m)^(?:FROM |ARG \w+_IMAGE=| *image: )(?:&\w+ )?([a-z0-9./-]+:\S+)`)
	pinned := regexp.MustCompile(`^[a-z0-9./-]+:[\w.-]+@sha256:[0-9a-f]{64}$`)

	found := 0
	for _, file := range []string{"../../Dockerfile", "../../docker-compose.yml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range named.FindAllStringSubmatch(string(text), -1) {
			image := match[1]
			found++
			isBuiltHere := strings.HasPrefix(image, "freelancer-matching:")
			if !isBuiltHere && !unpinned[image] && !pinned.MatchString(image) {
				t.Errorf("%s: %s has no digest; run make images", file, image)
			}
		}
	}
	if found < 6 {
		t.Errorf("%d images found, so the pattern is wrong", found)
	}
}
