package cli

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/freelancer-matching/service/internal/buildinfo"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/setup"
)

// programVersion is the result of version for -json.
type programVersion struct {
	Version  string         `json:"version"`
	Commit   string         `json:"commit"` // empty if the build doesn't know it
	Date     string         `json:"date"`   // of the commit, in RFC 3339
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
			fmt.Fprintf(c.stdout, "indexer %s\nbuilt    with %s for %s\nformats ", buildinfo.Read(), v.Go, v.Platform)

			for _, name := range slices.Sorted(maps.Keys(v.Formats)) {
				fmt.Fprintf(c.stdout, " %s %d,", name, v.Formats[name])
			}
			fmt.Fprintf(c.stdout, " mapping %s\n", v.Mapping)
			return nil
		},
	}
}

// describeProgram returns the version of the program and of what it reads and writes.
func describeProgram() programVersion {
	build := buildinfo.Read()
	return programVersion{
		Version: build.Version, Commit: build.Commit, Date: build.Date,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Formats: setup.Formats(), Mapping: mappings.Freelancers,
	}
}
