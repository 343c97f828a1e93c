package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/remote"
	"freelancer-matching/indexer/source"
	"freelancer-matching/indexer/source/kind"
	"freelancer-matching/setup"
)

// guardHelp explains the guards of commands that build an index or delete from one.
const guardHelp = `
Before anything goes live, the new index is compared with the live one. If the number of freelancers falls by more than
30 percent, or so does the share of freelancers with a job title, skills, an hourly rate or a description, the command
fails and changes nothing. On a terminal, it shows the difference and asks instead. -allow-shrink skips the comparison.
`

// kindHelp explains the guard of commands that read files.
const kindHelp = `
Files that look like job postings, gigs or products are refused, judging by their headers and first rows. The error
quotes what they were recognized by. If the rows are freelancers all the same, use -allow-kind.
`

// bindAllowShrink defines the flag -allow-shrink.
func bindAllowShrink(flags *flag.FlagSet, allow *bool) {
	flags.BoolVar(allow, "allow-shrink", false,
		"make the result live even if it has far fewer freelancers or known values than the live index")
}

// bindKind defines the flag -allow-kind.
func (o *loadOptions) bindKind(flags *flag.FlagSet) {
	flags.BoolVar(&o.allowKind, "allow-kind", false,
		"read files even if they look like job postings, gigs or products; -allow-shrink does so, too")
}

// checkKind returns a *kindError if a file does not look like one about freelancers, unless flags allow that.
func (o *loadOptions) checkKind(name string, v kind.Verdict) error {
	if v.Kind == "" || o.allowKind || o.allowShrink {
		return nil
	}
	return &kindError{name, v}
}

// A kindError reports a file that is not about freelancers.
type kindError struct {
	file    string
	verdict kind.Verdict
}

// Error quotes what the file was recognized by.
func (e *kindError) Error() string {
	evidence := make([]string, len(e.verdict.Evidence))
	for i, text := range e.verdict.Evidence {
		evidence[i] = printable(text, 200)
	}
	return fmt.Sprintf("%s looks like a list of %ss, not of freelancers: it has %s; if its rows are freelancers, "+
		"use -allow-kind", e.file, e.verdict.Kind, strings.Join(evidence, ", "))
}

// confirm returns the function that asks whether to make an index live that lost much of the live one. It returns nil
// if nobody can be asked: the command is not on a terminal, or its output is for a program.
func (c *cli) confirm(d *display) func(context.Context, *bulk.ShrinkError) (bool, error) {
	if c.interactive == nil || !c.interactive() || c.output.json || c.output.quiet {
		return nil
	}
	return func(ctx context.Context, e *bulk.ShrinkError) (bool, error) {
		d.end()
		c.printShrink(e)
		fmt.Fprint(c.stdout, "Make it live anyway? [y/N] ")
		answer, err := readLine(ctx, c.stdin)
		fmt.Fprintln(c.stdout)
		return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))), err
	}
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

// printShrink prints the figures of the live index and of what would replace it.
func (c *cli) printShrink(e *bulk.ShrinkError) {
	fmt.Fprintf(c.stdout, "\nMuch of the live index %s would be lost:\n", e.Before.Index)
	table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  \tLIVE\tNEW\t")
	before := e.Before.Freelancers
	after := e.After.Freelancers
	fmt.Fprintf(table, "  freelancers\t%s\t%s\t%s\n", number(before), number(after), mark(e, ""))

	for _, field := range bulk.CoveredFields() {
		was, known := e.Before.Coverage[field]
		if !known || e.After.Coverage == nil {
			continue
		}
		is := e.After.Coverage[field]
		if was == 0 && is == 0 {
			continue
		}

		fmt.Fprintf(table, "  %s\t%s (%s)\t%s (%s)\t%s\n", field, number(was), bulk.Percent(was, before), number(is),
			bulk.Percent(is, after), mark(e, field))
	}

	_ = table.Flush() // a terminal
}

// mark returns a remark for a figure that falls too far, or "".
func mark(e *bulk.ShrinkError, field string) string {
	for _, f := range e.Falls {
		if f.Field == field {
			return "falls by more than 30%"
		}
	}
	return ""
}

// printRemoved prints the old indexes that were dropped after a new one went live, and removes their dead letters.
func (c *cli) printRemoved(r *bulk.Report, data string) error {
	var names []string
	for _, old := range r.Removed {
		names = append(names, old.Index)
		fmt.Fprintf(c.stdout, "removed   %s (%s; see -keep-indexes)\n", old.Index, count(old.Freelancers, "freelancer", ""))
	}
	isRemoved := func(index string) bool { return slices.Contains(names, index) }
	return removeDeadLetters(filepath.Join(data, deadLettersDir), isRemoved)
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
		"json", "quiet", "dead-letters", "if-changed", "netrc", "max-download", "report")
	for name, values := range c.given {
		if !slices.Contains(hidden, name) || slices.Contains([]string{"skills-file", "embeddings-model"}, name) {
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
	case "mapping":
		if sum, err := checksum(source.FromPath(value)); err == nil { // otherwise, the command reports it
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

// removeOld prints which old indexes a command has removed, and removes what belongs to them and what has expired.
func (c *cli) removeOld(x *setup.Index, data string, r *bulk.Report) error {
	if err := c.printRemoved(r, data); err != nil {
		return err
	}
	return c.expireDeadLetters(x)
}

// onTerminal reports whether a person can answer questions on standard input and read them on standard output.
func onTerminal() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
}
