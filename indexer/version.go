package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"

	"freelancer-matching/internal/commandline"
	"freelancer-matching/mappings"
	"freelancer-matching/setup"
)

// Set by the linker: go build -ldflags "-X main.version=1.2.3 -X main.commit=0123abc".
var version, commit string

// programVersion is the result of version for -json.
type programVersion struct {
	Version  string         `json:"version"`
	Commit   string         `json:"commit"` // empty if the build doesn't know it
	Go       string         `json:"go"`
	Platform string         `json:"platform"`
	Formats  map[string]int `json:"formats"` // version of the index format, by engine
	Mapping  string         `json:"mapping"`
}

func (c *cli) versionCommand() *command {
	return &command{
		name: "version", summary: "print the version of this program and of the indexes it reads",
		flags: commandline.NewFlags("version"),
		details: `
An index in another format than these can't be searched. After an update that changes the format, run indexer reindex.

Examples:
  indexer version
  indexer version -json
`,
		run: func(context.Context, []string) error {
			v := describeProgram()
			c.output.result = v
			fmt.Fprintf(c.stdout, "indexer %s\ncommit   %s\nbuilt    with %s for %s\nformats ", v.Version,
				cmp.Or(v.Commit, "unknown"), v.Go, v.Platform)

			for _, name := range slices.Sorted(maps.Keys(v.Formats)) {
				fmt.Fprintf(c.stdout, " %s %d,", name, v.Formats[name])
			}
			fmt.Fprintf(c.stdout, " mapping %s\n", v.Mapping)
			return nil
		},
	}
}

// describeProgram returns the version and commit set by the linker, or else those that Go recorded in the build.
func describeProgram() programVersion {
	v := programVersion{
		Version: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Formats: setup.Formats(), Mapping: mappings.Freelancers,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version = cmp.Or(v.Version, info.Main.Version)
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Commit = cmp.Or(v.Commit, s.Value)
			}
		}
	}
	v.Version = cmp.Or(v.Version, "unknown")
	return v
}
