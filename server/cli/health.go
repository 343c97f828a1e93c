package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"time"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
)

const healthHelp = `Usage: server health [-addr HOST:PORT] [-tls-cert FILE -tls-key FILE]

Check that the server on this machine is alive, for container images without a shell. The exit code is 0 if it is alive
and 1 if not.

The command requests /livez, which does not depend on the database or on Elasticsearch: restarting the server does not
repair those.

Examples:
  server health
  server health -addr :9090
  server health -addr :8443 -tls-cert cert.pem -tls-key key.pem

Flags:
`

// healthTimeout limits how long the server may take to respond.
const healthTimeout = 3 * time.Second

func (c console) health(ctx context.Context, args []string) error {
	settings := config.Default()
	words, err := c.parse(commandline.NewFlags("server health"), args, healthHelp, &settings,
		"addr", "tls-cert", "tls-key")
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return commandline.Usagef("health takes no arguments, got %q", words[0])
	}
	if err := checkAlive(ctx, settings.Scheme(), settings.Addr); err != nil {
		return err
	}
	fmt.Fprintln(c.stdout, "alive")
	return nil
}

// checkAlive returns an error unless the server at addr responds to /livez with 200. An addr without a host, or with
// the address of all interfaces, means this machine.
func checkAlive(ctx context.Context, scheme, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+addr+"/livez", http.NoBody)
	if err != nil {
		return err
	}

	transport := &http.Transport{ // ignores proxies named in the environment
		DisableKeepAlives: true,
		// The certificate is for the public name, not for this address. The request and its response hold no secrets.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
	}

	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("no response from %s: %w", addr, err)
	}
	defer response.Body.Close()

	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s responded to /livez with %s; check that -addr names this server, and that -tls-cert is set if "+
			"it serves https", addr, response.Status)
	}

	return nil
}
