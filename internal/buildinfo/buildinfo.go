// Package buildinfo tells which version of the programs is running.
package buildinfo

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// Set by the linker where a build has no Git repository, as in a container:
//
//	go build -ldflags "-X github.com/freelancer-matching/service/internal/buildinfo.version=1.2.3 …"
var version, commit, date string

const unknown = "unknown"

// Info describes a build.
type Info struct {
	Version string // such as 1.2.3, Go's pseudo-version of a commit between two releases, or unknown
	Commit  string // of Git, 40 hexadecimal digits; empty if unknown
	Date    string // of the commit, in RFC 3339, so that the same source gives the same bytes; empty if unknown
}

// Read returns what the linker set, or else what Go recorded in the build.
func Read() Info {
	info := Info{Version: version, Commit: commit, Date: date}

	if build, ok := debug.ReadBuildInfo(); ok {
		info.Version = cmp.Or(info.Version, strings.TrimPrefix(build.Main.Version, "v"))
		for _, setting := range build.Settings {
			switch setting.Key {
			case "vcs.revision":
				info.Commit = cmp.Or(info.Commit, setting.Value)
			case "vcs.time":
				info.Date = cmp.Or(info.Date, setting.Value)
			}
		}
	}

	info.Version = cmp.Or(info.Version, unknown)
	return info
}

// String returns the line that a program prints for -version, without its name.
func (i Info) String() string {
	commit := cmp.Or(i.Commit, unknown)
	return i.Version + " (commit " + commit[:min(12, len(commit))] + ", " + cmp.Or(i.Date, unknown) + ")"
}
