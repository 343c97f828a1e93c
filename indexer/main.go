// Command indexer loads freelancers from files into the search engine and manages the indexes it has built.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process immediately
	c := &cli{
		environment: os.LookupEnv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now,
		interactive: onTerminal,
	}
	os.Exit(c.run(ctx, os.Args[1:]))
}
