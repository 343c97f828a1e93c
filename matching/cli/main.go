// Package cli is the program matching, which calls the API from the command line: it matches briefs, explains scores,
// reads resumes, looks up skills, conducts interviews, reads and changes freelancers, and listens to webhooks. It
// doesn't import the server's packages.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/freelancer-matching/service/internal/retry"
)

// Main runs the program until it ends or a signal stops it, and returns its exit code.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process immediately

	c := &cli{
		environment: os.LookupEnv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		terminal: term.IsTerminal(int(os.Stdout.Fd())), width: terminalWidth(),
		secret: readSecret, pause: retry.Sleep,
	}
	return c.run(ctx, args)
}

// terminalWidth returns the number of columns of standard output, or defaultWidth if it isn't a terminal.
func terminalWidth() int {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width < minWidth {
		return defaultWidth
	}
	return width
}

// readSecret reads a line from standard input, without showing it if that is a terminal.
func readSecret() (text string, shown bool, err error) {
	fd := int(os.Stdin.Fd())
	if !term.IsTerminal(fd) {
		return "", true, nil
	}
	secret, err := term.ReadPassword(fd)
	return string(secret), false, err
}
