package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// terminatedError is the cause of a context that SIGTERM canceled: a service manager stops the server, and load
// balancers may still send requests. Ctrl-C has no such cause.
type terminatedError struct{}

func (terminatedError) Error() string { return "SIGTERM received" }

// untilSignal returns a context that Ctrl-C and SIGTERM cancel. A second signal ends the program immediately.
func untilSignal(parent context.Context) context.Context {
	ctx, stop := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		received := <-signals
		signal.Stop(signals)
		if received == syscall.SIGTERM {
			stop(terminatedError{})
			return
		}
		stop(nil)
	}()
	return ctx
}

// hangups returns a channel that receives SIGHUP until stop is called.
func hangups() (received <-chan os.Signal, stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}

// A tty is the terminal that the program was started in, if any.
type tty struct{ present bool }

func ownTTY() tty { return tty{term.IsTerminal(int(os.Stdin.Fd()))} }

// closed reports whether the terminal has been closed, so that a SIGHUP came from it and not from an operator.
func (t tty) closed() bool { return t.present && !term.IsTerminal(int(os.Stdin.Fd())) }
