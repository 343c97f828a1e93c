// Command licenses checks that every module the programs, tools and tests are built from has a permissive license. It
// reads the license files in the module cache, of each module and of the packages in use.
//
//	go run ./tools/licenses
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed lists the licenses, by SPDX identifier, that ask for no more than keeping their text. MPL-2.0 also asks for
// the source of changes to its files, and nothing here changes them.
func allowed() []string {
	return []string{
		"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-2-Clause-FreeBSD", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT",
		"MIT-0", "MPL-2.0", "Unlicense", "Zlib",
	}
}

// exceptions returns the license files, by module, that can't be recognized as a whole.
func exceptions() map[string]exception {
	return map[string]exception{
		"github.com/modelcontextprotocol/go-sdk/LICENSE":   reviewed, // Apache-2.0 and MIT; its documentation CC-BY-4.0
		"github.com/opencontainers/go-digest/LICENSE.docs": reviewed, // for its documentation
		"modernc.org/memory/LICENSE-LOGO":                  reviewed, // for a picture
		"modernc.org/sqlite/LICENSE-SQLITE":                reviewed, // SQLite is in the public domain
		"modernc.org/libc/LICENSE-3RD-PARTY.md":            notices,
		"modernc.org/sqlite/LICENSE-3RD-PARTY.md":          notices,
	}
}

// An exception says how a license file is checked.
type exception int

const (
	none     exception = iota // the whole file must consist of allowed licenses
	reviewed                  // somebody has read the file
	notices                   // the licenses in the file must be allowed; there is other text between them
)

// minCoverage is the percentage of a license file that known licenses must make up. The rest are copyright lines.
const minCoverage = 75

// A pkg is a package in use, with the module that it belongs to.
type pkg struct{ dir, module, moduleDir string }

func main() {
	packages, err := list()
	if err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(2)
	}
	if faults := check(packages, os.Stdout); faults > 0 {
		fmt.Fprintf(os.Stderr, "licenses: %d modules have no license that tools/licenses allows; replace them, or add their "+
			"license if it is permissive\n", faults)
		os.Exit(1)
	}
}

// list returns the packages of other modules that this module and its tests import.
func list() ([]pkg, error) {
	// A module without a version is in this repository: the main one, or one that replaces another.
	const format = `{{with .Module}}{{if and .Version (not (and .Replace (not .Replace.Version)))}}` +
		`{{$.Dir}}{{"\t"}}{{.Path}}@{{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`
	cmd := exec.CommandContext(context.Background(), "go", "list", "-deps", "-test", "-tags", "integration",
		"-f", format, "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	var packages []pkg
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if fields := strings.Split(lines.Text(), "\t"); len(fields) == 3 {
			packages = append(packages, pkg{fields[0], fields[1], fields[2]})
		}
	}
	return packages, nil
}

// check prints how many modules have which license, and every fault. It returns the number of modules with faults.
func check(packages []pkg, w io.Writer) (faulty int) {
	files := map[string]map[string]bool{} // license files by module
	for _, p := range packages {
		if files[p.module] == nil {
			files[p.module] = map[string]bool{}
		}
		for _, file := range licenseFiles(p.dir, p.moduleDir) {
			files[p.module][file] = true
		}
	}

	counts := map[string]int{}
	for _, module := range sorted(files) {
		path, _, _ := strings.Cut(module, "@")
		licenses, fault := licensesOf(path, sorted(files[module]))
		if fault != "" {
			fmt.Fprintf(w, "%s: %s\n", module, fault)
			faulty++
			continue
		}

		counts[strings.Join(licenses, " and ")]++
	}

	for _, name := range sorted(counts) {
		fmt.Fprintf(w, "%4d  %s\n", counts[name], name)
	}

	return faulty
}

// licenseFiles returns the license files of a package: those in its folder and above, up to the root of its module.
func licenseFiles(dir, root string) (files []string) {
	for ; strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
		entries, _ := os.ReadDir(dir) // a folder that can't be read has no license file, and its module a fault
		for _, entry := range entries {
			name := strings.ToUpper(entry.Name())
			isLicense := slices.ContainsFunc([]string{"LICEN", "UNLICEN", "COPYING"}, // in either spelling
				func(prefix string) bool { return strings.HasPrefix(name, prefix) })
			if isLicense && entry.Type().IsRegular() && !strings.HasSuffix(name, ".GO") {
				files = append(files, filepath.Join(dir, entry.Name()))
			}
		}
	}
	return files
}

// licensesOf returns the licenses in the files of the module with a path, or a fault.
func licensesOf(path string, files []string) (licenses []string, fault string) {
	if len(files) == 0 {
		return nil, "no license file"
	}

	for _, file := range files {
		exception := exceptions()[path+"/"+filepath.Base(file)]
		if exception == reviewed {
			continue
		}

		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err.Error()
		}

		found := licensecheck.Scan(text)
		if found.Percent < minCoverage && exception == none {
			return nil, fmt.Sprintf("%s has an unknown license", file)
		}

		for _, match := range found.Match {
			if !slices.Contains(allowed(), match.ID) {
				return nil, fmt.Sprintf("%s has the license %s", file, match.ID)
			}
			if !slices.Contains(licenses, match.ID) {
				licenses = append(licenses, match.ID)
			}
		}
	}

	slices.Sort(licenses)
	return licenses, ""
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
