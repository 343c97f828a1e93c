// Package cli is the program indexer: it loads freelancers from files into the search engine and manages the indexes it
// has built.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Main runs the program until it ends or a signal stops it, and returns its exit code.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process immediately
	c := &cli{
		environment: os.LookupEnv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now,
		interactive: onTerminal,
	}
	return c.run(ctx, args)
}
