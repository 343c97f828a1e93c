//go:build integration

package integration

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/collectors"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/postgres"
)

// The environment variables that name the servers the suites use. `make services` starts these servers.
const (
	redisVariable    = "MATCHING_TEST_REDIS_URL"    // redis://127.0.0.1:6379/0
	postgresVariable = "MATCHING_TEST_POSTGRES_URL" // postgres://postgres@127.0.0.1:5432/matching?sslmode=disable
)

// skipOrFail skips a test whose requirements are missing. In CI, it fails the test.
func skipOrFail(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// service returns the address in an environment variable. Without it, the test is skipped.
func service(t testing.TB, variable string) string {
	t.Helper()
	address := os.Getenv(variable)
	if address == "" {
		skipOrFail(t, "%s is not set: run `make services` and set the variables that it prints", variable)
	}
	return address
}

// newDatabase creates an empty PostgreSQL schema and returns an address that makes a server use it as its database. The
// schema is dropped when the test ends.
func newDatabase(t testing.TB) string {
	t.Helper()
	address, err := url.Parse(service(t, postgresVariable))
	if err != nil {
		t.Fatal(err)
	}

	pool, err := sql.Open("pgx", address.String())
	if err != nil {
		t.Fatal(err)
	}

	schema := "test_" + strings.ToLower(rand.Text()[:12])
	if _, err := pool.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		defer pool.Close()
		if _, err := pool.ExecContext(context.Background(), "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			t.Error(err)
		}
	})

	query := address.Query()
	query.Set("search_path", schema)
	address.RawQuery = query.Encode()

	return address.String()
}

func openPostgres(t testing.TB, address string) *store.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// newWire starts a proxy to a PostgreSQL database that a test can interrupt. It also returns the database's address
// through the proxy.
func newWire(t *testing.T, database string) (wire *toxiproxy.Proxy, address string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	server.Metrics.ProxyMetrics = collectors.NewProxyMetricCollectors()
	wire = toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", u.Host)
	if err := wire.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(wire.Stop)
	u.Host = wire.Listen
	return wire, u.String()
}

// An ownRedis is a Redis server that a test may kill. It writes each change to disk before it responds.
type ownRedis struct {
	binary, dir, port string
	cmd               *exec.Cmd
}

func newRedis(t *testing.T) *ownRedis {
	t.Helper()
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		skipOrFail(t, "%v: this test starts and kills its own Redis server", err)
	}
	r := &ownRedis{binary: binary, dir: t.TempDir(), port: freePort(t)}
	t.Cleanup(r.kill)
	r.start(t)
	return r
}

func (r *ownRedis) url() string { return "redis://127.0.0.1:" + r.port + "/0" }

// start starts the server and waits until it responds.
func (r *ownRedis) start(t *testing.T) {
	t.Helper()
	r.cmd = exec.Command(r.binary, "--bind", "127.0.0.1", "--port", r.port, "--dir", r.dir,
		"--appendonly", "yes", "--appendfsync", "always", "--save", "")
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	programs.Eventually(t, "the start of Redis", func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+r.port)
		if err != nil {
			return false
		}
		defer conn.Close()
		response := make([]byte, 5)
		_, err = fmt.Fprint(conn, "PING\r\n")
		n, _ := conn.Read(response)
		return err == nil && string(response[:n]) == "+PONG"
	})
}

func (r *ownRedis) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// freePort returns a port that was free a moment ago.
func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
