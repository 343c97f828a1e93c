// Package testmode serves the tests of clients: `server -test`. It wraps the server with fixed API keys, a clock that
// stands still until a test moves it, randomness that repeats, errors on demand, a scripted language model, and
// operations under /test that control all of this. Nothing outlives the process.
//
// The package is wired in where the server starts, and only for -test. A server in production has no path to it.
package testmode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/setup"
)

const (
	// defaultSize and defaultSeed say which freelancers are generated at the start.
	defaultSize = 300
	defaultSeed = 1

	banner = "Test mode: everybody knows the API keys, the clock is set by tests, and all data is lost at the end."

	// startGC is the growth of the heap in percent that starts a garbage collection during a start.
	startGC = 400

	// sharedMemory is a file system in memory on Linux.
	sharedMemory = "/dev/shm"
)

// A Server is the server in test mode.
type Server struct {
	config config.Config
	log    *slog.Logger
	clock  *clock
	random *source
	faults *faults
	limits *switches
	model  *script

	control http.Handler // of /test
	failing http.Handler // responds with the error in the context of its requests

	// Requests hold it for reading, and operations that replace the server for writing.
	mu      sync.RWMutex
	app     *app.Server
	folder  string // of app
	invited string // link that creates the first user of the dashboard
	calls   uint64 // counted by mu's readers with atomic operations
}

// Open starts the server with generated freelancers. The caller must close it. It fails if the configured data folder
// has a database, because its owner would expect to find its accounts.
func Open(ctx context.Context, c config.Config, log *slog.Logger) (*Server, error) {
	if setup.HasDatabase(c) {
		return nil, fmt.Errorf("the data folder %s has a database with accounts, but test mode keeps everything in memory "+
			"and would use none of it; name another folder with -data, or start without -test", c.Data)
	}

	log.WarnContext(ctx, "test mode: everybody knows the API keys, and all data is lost at the end")
	s := &Server{
		config: testConfig(c), log: log, clock: newClock(), random: useRandomness(), faults: &faults{}, limits: &switches{},
		model: &script{},
	}
	s.control = s.routes()
	s.failing = s.newFailing()
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}

	return s, nil
}

// testConfig returns the settings with what test mode needs: no work in the background that takes processors from the
// tests, a language model, and webhooks to any address.
func testConfig(c config.Config) config.Config {
	if c.Encoder == config.EncoderAuto {
		c.Encoder = config.EncoderOff
	}
	if c.OCR.Mode == config.OCRAuto {
		c.OCR.Mode = config.OCROff
	}

	c.LLM.URL = "https://script.test/v1"
	c.LLM.Model = "scripted"
	c.LLM.TokensADay = 0
	c.LLM.ServiceTokensADay = 0
	c.LLM.WordsADay = 1_000_000

	receivers := []string{"localhost", "host.docker.internal", "host.testcontainers.internal", "0.0.0.0/0", "::/0"}
	c.WebhookAllow = slices.Concat(c.WebhookAllow, receivers)

	return c
}

// start opens a server in a new folder, with the keys and the generated freelancers. Two starts have the same content.
func (s *Server) start(ctx context.Context) (err error) {
	// What a start reads remains in memory, so there is little garbage to collect.
	defer debug.SetGCPercent(debug.SetGCPercent(startGC))

	s.random.restart(0)
	s.calls = 0
	s.clock.reset()
	s.faults.clear()
	s.limits.enforce(false)
	s.model.set(nil)

	if s.folder, err = os.MkdirTemp(memoryFolder(), "matching-test-"); err != nil {
		return fmt.Errorf("create a folder for test mode: %w", err)
	}

	c := s.config
	c.Data = s.folder
	s.app, err = app.OpenWith(ctx, c, s.log, app.Options{
		Now:    s.clock.now,
		Model:  s.model,
		Banner: banner,

		Freelancers: defaultSize,
		Seed:        defaultSeed,

		Quota:   func(q limits.Quota) limits.Quota { return quotas{q, s.limits} },
		Views:   func(v limits.ViewCounter) limits.ViewCounter { return viewCounter{v, s.limits} },
		Changes: func(c limits.ChangeCounter) limits.ChangeCounter { return changeCounter{c, s.limits} },
	})
	if err != nil {
		return err
	}

	// Parts of the server open at the same time, and read random numbers in any order.
	s.random.restart(0)
	if err := s.createKeys(ctx); err != nil {
		return err
	}
	secret, err := s.app.Links.CreateSetUp(ctx)
	if err != nil {
		return err
	}
	s.invited = account.URL(c.Public().String(), account.SetUp, secret)

	return nil
}

// memoryFolder returns a folder in memory, or "" for the folder of temporary files.
func memoryFolder() string {
	probe, err := os.MkdirTemp(sharedMemory, "matching-test-")
	if err != nil {
		return ""
	}
	if err := os.Remove(probe); err != nil {
		return ""
	}
	return sharedMemory
}

// stop closes the server and deletes its folder.
func (s *Server) stop() error {
	var err error
	if s.app != nil {
		err = s.app.Close()
		s.app = nil
	}
	if s.folder != "" {
		err = errors.Join(err, os.RemoveAll(s.folder))
		s.folder = ""
	}
	return err
}

// reset replaces the server with a new one, as after a start. It waits for the requests that run.
func (s *Server) reset(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.stop(), s.start(ctx))
}

// Close stops the server and deletes everything.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop()
}

// App returns the server that answers at the moment. A reset replaces it.
func (s *Server) App() *app.Server {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.app
}

// Greet prints the keys. Its last line starts with "Ready on", like that of a server in production.
func (s *Server) Greet(w io.Writer, address string) {
	fmt.Fprintf(w, "Test mode with %d generated freelancers. All data is in memory, and lost when the server stops.\n\n",
		defaultSize)
	fmt.Fprintf(w, "  Address       %s\n", address)
	for _, k := range Keys() {
		fmt.Fprintf(w, "  %-12s  %s\n", k.Plan, k.Token)
	}
	fmt.Fprintf(w, "  Control       %s/test/openapi.yaml\n\nReady on %s\n", address, address)
}
