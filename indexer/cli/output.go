package cli

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/loading"
)

// An output says how a command shows its results. Every command has the flags -json and -quiet.
type output struct {
	json, quiet bool
	stdout      io.Writer // standard output itself; cli.stdout discards text if json or quiet is set
	result      any       // what the command sets for -json; docs/operations/indexer-json.md describes it
}

// bind defines the flags -json and -quiet.
func (o *output) bind(flags *flag.FlagSet) {
	flags.BoolVar(&o.json, "json", false, "print one JSON document on standard output instead of text")
	flags.BoolVar(&o.quiet, "quiet", false, "print nothing but errors and a summary of warnings, on standard error")
}

// begin discards what is written to text from now on if the flags ask for that. It looks for -json among the arguments,
// too, because parsing ends at the first invalid flag.
func (o *output) begin(text *io.Writer, args []string) {
	o.json = o.json || slices.Contains(args, "-json") || slices.Contains(args, "--json")
	o.stdout = *text
	if o.json || o.quiet {
		*text = io.Discard
	}
}

// A document is what a command prints with -json.
type document struct {
	Command string   `json:"command"`
	Result  any      `json:"result,omitempty"` // may describe a failed load, too
	Error   *failure `json:"error,omitempty"`
}

// A failure is an error in a document.
type failure struct {
	Code     string `json:"code"` // see failureCode
	Message  string `json:"message"`
	Remedy   string `json:"remedy,omitempty"` // which command to run
	ExitCode int    `json:"exit_code"`
}

// A longResult writes itself as JSON, because it may be too large to hold its text in memory.
type longResult interface{ writeJSON(w io.Writer) error }

// printDocument prints the result of a command and its error as JSON if -json asks for that. A command without a result
// prints its own lines.
func (o *output) printDocument(command string, err error) {
	if !o.json || err == nil && o.result == nil {
		return
	}
	d := document{Command: command, Result: o.result}

	if err != nil {
		d.Error = &failure{Code: failureCode(err), Message: message(err), Remedy: engine.Remedy(err), ExitCode: 1}
		if isUsage(err) {
			d.Error.ExitCode = 2
		}
	}

	if long, ok := o.result.(longResult); ok && err == nil {
		fmt.Fprintf(o.stdout, "{\"command\": %q, \"result\": ", command)
		_ = long.writeJSON(o.stdout)
		fmt.Fprintln(o.stdout, "}")
		return
	}

	encoder := json.NewEncoder(o.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(d) // like text on standard output, whose reader may have left
}

// failureCode returns the stable code of an error, for scripts.
func failureCode(err error) string {
	if isUsage(err) {
		return "usage"
	}
	return loading.FailureCode(err)
}

func isA[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
