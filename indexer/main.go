// Command indexer loads freelancers from files into the search engine, and looks after the indexes it made.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr))
}

// run is the program: its exit code is 0, 1 after a failure, or 2 after a wrong command line.
func run(
	ctx context.Context, args []string, environment func(string) (string, bool), stdin io.Reader, stdout, stderr io.Writer,
) int {
	c := &cli{environment: environment, stdin: stdin, stdout: stdout, stderr: stderr, now: time.Now}
	return c.run(ctx, args)
}
