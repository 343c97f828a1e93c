package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"syscall"
	"time"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/server/certificate"
	"github.com/freelancer-matching/service/server/connections"
	"github.com/freelancer-matching/service/server/testmode"
	"github.com/freelancer-matching/service/setup"
)

// The limits of a connection. A request's own deadline is config.RequestTimeout.
const (
	headerTimeout = 5 * time.Second
	bodyTimeout   = 30 * time.Second // for the whole request to arrive
	idleTimeout   = 2 * time.Minute
	writeMargin   = 20 * time.Second // for a slow client to read a response; streams set their own deadlines
	maxHeader     = 32 << 10         // bytes
)

// The limits of open connections. An idle one takes about 20 KiB, and a client can keep it open for idleTimeout.
const (
	maxConnections       = 4096
	maxClientConnections = 256
)

// serve runs the service until ctx ends, then shuts it down. SIGHUP reloads the certificate and the
// files of secrets.
func serve(ctx context.Context, c config.Config, log *slog.Logger, stdout io.Writer) (err error) {
	setup.LimitMemory(log)
	reload, ignoreReload := hangups() // first, because SIGHUP would end the program
	defer ignoreReload()

	listener, err := listen(ctx, c.Addr, "addr") // early, so that an address in use is reported immediately
	if err != nil {
		return err
	}
	defer listener.Close()

	c.Addr = withPort(c.Addr, listener.Addr()) // links to the dashboard need the real port
	encryption, err := openCertificate(c, log)
	if err != nil {
		return err
	}

	if c.Demo {
		if c.Data, err = os.MkdirTemp("", "matching-demo-"); err != nil {
			return fmt.Errorf("create a folder for the demo: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Data)) }()
	}

	running, err := open(ctx, c, listener.Addr(), log, stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, running.close()) }()

	web := &http.Server{
		Handler:           running.handler,
		TLSConfig:         encryption.config(),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      bodyTimeout + c.RequestTimeout + writeMargin,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}

	limited := connections.Limit(listener, connections.Limits{
		Total: maxConnections, PerClient: maxClientConnections, Shared: c.Proxies(),
	}, running.server().Metrics.ConnectionRejected, log)
	failed := make(chan error, 2)
	if c.MetricsAddr != "" {
		stop, err := serveMetrics(ctx, c, running.server().Metrics.Handler(), failed, log)
		if err != nil {
			return err
		}
		defer stop()
	}

	go func() {
		if encryption.on() {
			failed <- web.ServeTLS(limited, "", "")
			return
		}
		failed <- web.Serve(limited)
	}()

	running.greet()
	reloadAll := func() {
		encryption.reload()
		if err := c.ReloadSecrets(); err != nil {
			log.Error("secrets not reloaded, their previous values stay in use", "error", err)
		}
	}
	if err := untilStopped(ctx, reload, reloadAll, failed, log); err != nil {
		return err
	}

	return shutDown(ctx, c, running.server(), web, failed, log)
}

// A running service is what serve serves: the server or, in test mode, one that tests control.
type running struct {
	handler http.Handler
	server  func() *app.Server // test mode replaces it
	greet   func()             // prints that the service is ready
	close   func() error
}

// open opens the service. Test mode is opened here and nowhere else.
func open(ctx context.Context, c config.Config, addr net.Addr, log *slog.Logger, stdout io.Writer) (*running, error) {
	if c.Test {
		test, err := testmode.Open(ctx, c, log)
		if err != nil {
			return nil, err
		}
		greet := func() { test.Greet(stdout, c.Scheme()+"://"+addr.String()) }
		return &running{test.Handler(), test.App, greet, test.Close}, nil
	}

	server, err := app.Open(ctx, c, log)
	if err != nil {
		return nil, err
	}
	if err := bootstrap(ctx, server, c, log); err != nil {
		return nil, errors.Join(err, server.Close())
	}
	if c.Demo {
		if err := greetDemo(ctx, server, c, addr, stdout); err != nil {
			return nil, errors.Join(err, server.Close())
		}
	}

	return &running{
		handler: server.Handler(), server: func() *app.Server { return server }, close: server.Close,
		greet: func() { greet(ctx, server, c, addr, log, stdout) },
	}, nil
}

// untilStopped calls onReload for every SIGHUP until ctx ends, the terminal is closed, or serving fails.
func untilStopped(
	ctx context.Context, reload <-chan os.Signal, onReload func(), failed <-chan error, log *slog.Logger,
) error {
	terminal := ownTTY()
	for {
		select {
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		case <-ctx.Done():
			return nil
		case <-reload:
			if terminal.closed() {
				return nil
			}
			onReload()
			log.Info("reloaded after SIGHUP")
		}
	}
}

// shutDown ends the service without cutting a request. After SIGTERM, it first keeps serving for c.Drain while /readyz
// fails and every response closes its connection, so that clients and load balancers go elsewhere. Then it accepts no
// more connections and waits up to c.ShutdownTimeout for the running requests.
func shutDown(
	ctx context.Context, c config.Config, server *app.Server, web *http.Server, failed <-chan error, log *slog.Logger,
) error {
	server.Drain()
	if delay := c.Drain(); delay > 0 && errors.Is(context.Cause(ctx), terminatedError{}) {
		log.Info("draining", "delay", delay)
		timer := time.NewTimer(delay)
		defer timer.Stop()

		select {
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		case <-timer.C:
		}
	}

	log.Info("shutting down", "timeout", c.ShutdownTimeout)

	// The context has ended already, which is why the server is shutting down.
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.ShutdownTimeout)
	defer cancel()

	if err := web.Shutdown(stop); err != nil {
		return fmt.Errorf("some requests were still running after the shutdown timeout of %s: %w", c.ShutdownTimeout, err)
	}

	return nil
}

// encryption is the server's certificate, or nothing.
type encryption struct{ source *certificate.Source }

func openCertificate(c config.Config, log *slog.Logger) (encryption, error) {
	if !c.TLS.On() {
		return encryption{}, nil
	}
	source, err := certificate.Open(c.TLS.Cert, c.TLS.Key, log)
	return encryption{source}, err
}

func (e encryption) on() bool { return e.source != nil }

// config returns the configuration of TLS, or nil for plain HTTP.
func (e encryption) config() *tls.Config {
	if !e.on() {
		return nil
	}
	return e.source.Config()
}

func (e encryption) reload() {
	if e.on() {
		e.source.Reload()
	}
}

// withPort returns addr with the port on which the server really listens.
func withPort(addr string, listening net.Addr) string {
	host, _, err := net.SplitHostPort(addr)
	_, port, portErr := net.SplitHostPort(listening.String())
	if err != nil || portErr != nil {
		return addr
	}
	return net.JoinHostPort(host, port)
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

// serveMetrics serves /metrics, and profiles if c.Pprof is set, on an address of its own until stop is called. It sends
// a failure to failed.
func serveMetrics(
	ctx context.Context, c config.Config, metrics http.Handler, failed chan<- error, log *slog.Logger,
) (stop func(), err error) {
	listener, err := listen(ctx, c.MetricsListen(), "metrics-addr")
	if err != nil {
		return nil, err
	}

	if c.MetricsExposed() {
		log.Warn("other machines can read the metrics", "setting", "metrics-addr", "address", c.MetricsAddr)
	}

	server := &http.Server{
		Handler:           metricsHandler(metrics, c.Pprof, c.ServesHost),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      bodyTimeout,
	}

	if c.Pprof {
		server.WriteTimeout = 0 // the client chooses how long a profile takes; only this machine can connect
	}

	log.Info("metrics available", "address", fmt.Sprintf("http://%s/metrics", listener.Addr()))
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("metrics: %w", err)
		}
	}()

	return func() { _ = server.Close() }, nil // a scrape in progress is cut off
}

// metricsHandler returns a handler for the metrics and, if profiles is true, for net/http/pprof. Profiles contain parts
// of the memory, so requests for them must name a host that servesHost accepts: a web page whose name was rebound to
// this address can't read them.
func metricsHandler(metrics http.Handler, profiles bool, servesHost func(host string) bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", metrics)
	handle := func(path string, h http.HandlerFunc) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if !servesHost(r.Host) {
				http.Error(w, "This server does not serve this host; use its address.", http.StatusMisdirectedRequest)
				return
			}
			h(w, r)
		})
	}

	if profiles {
		handle("/debug/pprof/", pprof.Index) // also heap, goroutine and the other named profiles
		handle("/debug/pprof/cmdline", pprof.Cmdline)
		handle("/debug/pprof/profile", pprof.Profile)
		handle("/debug/pprof/symbol", pprof.Symbol)
		handle("/debug/pprof/trace", pprof.Trace)
	}

	return mux
}
