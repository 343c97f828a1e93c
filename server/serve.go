package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"freelancer-matching/internal/config"
	"freelancer-matching/server/app"
)

// The limits of a connection. A request's own deadline is config.RequestTimeout.
const (
	headerTimeout = 5 * time.Second
	bodyTimeout   = 30 * time.Second // for the whole request to arrive
	idleTimeout   = 2 * time.Minute
	writeMargin   = 20 * time.Second // for a slow client to read a response; streams set their own deadlines
	maxHeader     = 32 << 10         // bytes
)

// serve runs the service until ctx ends, then waits up to c.ShutdownTimeout for the running requests.
func serve(ctx context.Context, c config.Config, log *slog.Logger, stdout io.Writer) (err error) {
	listener, err := listen(ctx, c.Addr, "addr") // first, so that an address in use is reported immediately
	if err != nil {
		return err
	}
	defer listener.Close()
	if c.Demo {
		if c.Data, err = os.MkdirTemp("", "matching-demo-"); err != nil {
			return fmt.Errorf("create a folder for the demo: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Data)) }()
	}
	if c.PublicURL == "" {
		c.Addr = listener.Addr().String() // links to the dashboard need the real port
	}
	server, err := app.Open(ctx, c, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()

	if c.Demo {
		if err := greetDemo(ctx, server, listener.Addr(), stdout); err != nil {
			return err
		}
	}
	httpServer := &http.Server{
		Handler:           server.Handler(),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      bodyTimeout + c.RequestTimeout + writeMargin,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 2)
	if c.MetricsAddr != "" {
		stop, err := serveMetrics(ctx, c.MetricsAddr, server.Metrics.Handler(), failed)
		if err != nil {
			return err
		}
		defer stop()
	}
	go func() { failed <- httpServer.Serve(listener) }()
	greet(ctx, server, c, listener.Addr(), log, stdout)
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	log.Info("shutting down", "timeout", c.ShutdownTimeout)
	server.Drain()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.ShutdownTimeout)
	defer cancel()
	if err := httpServer.Shutdown(stop); err != nil {
		return fmt.Errorf("some requests were still running after the shutdown timeout of %s: %w", c.ShutdownTimeout, err)
	}
	return nil
}

// listen listens on addr, the value of the named flag.
func listen(ctx context.Context, addr, flag string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("address %s is already in use; choose another one with -%s (port 0 picks a free port)",
			addr, flag)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s (-%s): %w", addr, flag, err)
	}
	return listener, nil
}

// serveMetrics serves /metrics on its own address until stop is called, and sends a failure to failed.
func serveMetrics(ctx context.Context, addr string, h http.Handler, failed chan<- error) (stop func(), err error) {
	listener, err := listen(ctx, addr, "metrics-addr")
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      bodyTimeout,
	}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("metrics: %w", err)
		}
	}()
	return func() { _ = server.Close() }, nil // a scrape in progress is cut off
}
