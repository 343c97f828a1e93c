package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/inputs"
	"github.com/freelancer-matching/service/indexer/remote"
	"github.com/freelancer-matching/service/indexer/source/input"
)

// guardHelp explains the guards of commands that build an index or delete from one.
const guardHelp = `
Before anything goes live, the new index is compared with the live one. If the number of freelancers falls by more than
30 percent, or so does the share of freelancers with a job title, skills, an hourly rate or a description, the command
fails and changes nothing. On a terminal, it shows the difference and asks instead. -allow-shrink skips the comparison.
A load also fails if the files have numbers for the hourly rate, the rating or the experience and none can be read.
`

// bindAllowShrink defines the flag -allow-shrink.
func bindAllowShrink(flags *flag.FlagSet, allow *bool) {
	flags.BoolVar(allow, "allow-shrink", false,
		"make the result live even if it has far fewer freelancers or known values than the live index")
}

// readLine returns the first line of in. It returns an error if ctx ends first, for example by Ctrl-C. The end of the
// input is an empty line.
func readLine(ctx context.Context, in io.Reader) (string, error) {
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	go func() { // it stays blocked after Ctrl-C, and the process ends
		line, err := bufio.NewReader(in).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		read <- result{line, err}
	}()
	select {
	case r := <-read:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// runOf returns what the provenance of an index records about this command: who runs which version with which flags.
// Settings are left out, because some hold secrets and others name parts of this machine, except for those that change
// the index.
func (c *cli) runOf(command string) engine.Run {
	program := describeProgram()
	run := engine.Run{Command: command, Version: program.Version, User: userAndHost(), Options: make(map[string]string)}
	if program.Commit != "" {
		run.Version += " (" + program.Commit[:min(12, len(program.Commit))] + ")"
	}
	hidden := append(append(buildSettings(), rateSettings()...),
		"encode", "json", "quiet", "dead-letters", "if-changed", "netrc", "max-download", "report", "metrics-file")
	recorded := []string{"skills-file", "embeddings-model", "embeddings-passage-prefix"}
	for name, values := range c.given {
		if !slices.Contains(hidden, name) || slices.Contains(recorded, name) {
			run.Options[name] = recordedOption(name, strings.Join(values, " "))
		}
	}
	return run
}

// recordedOption returns what the provenance records about a flag: not the secrets of URLs, and also the content of a
// mapping file.
func recordedOption(name, value string) string {
	switch name {
	case "id-prefix":
		return remote.Scrub(value)
	case "from": // an index or a database
		return inputs.DisplayName(value)
	case "mapping":
		if sum, err := inputs.Checksum(input.FromPath(value)); err == nil { // otherwise, the command reports it
			return value + " sha256:" + sum
		}
	}
	return value
}

// userAndHost returns who runs this process, as name@host.
func userAndHost() string {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, _ := os.Hostname() // "" if it is unknown
	return cmp.Or(name, strconv.Itoa(os.Getuid())) + "@" + cmp.Or(host, "unknown")
}

// onTerminal reports whether a person can answer questions on standard input and read them on standard output.
func onTerminal() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
}
