// Package load sends varied briefs to a running service and measures its responses. It prints latency and rate, and
// exits with 1 if any request failed. It is meant for a service on the same machine: it sends requests as fast as the
// service responds, so use it on another service only with its operator's consent.
package load

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
)

const usage = `Usage: load -key KEY [flags]

Sends varied briefs to POST /api/v1/match of a running service. Each client has its own connection and sends its next
request as soon as it has read a response. Ends after -duration, or after -requests if that is sooner. Exits with 1 if
a request failed, and with 2 if the command line is wrong.

  go run ./tools load -key svc_ent_...                               8 clients for 20 seconds
  go run ./tools load -key svc_ent_... -clients 1 -requests 5000     the latency of one client
  go run ./tools load -key svc_ent_... -json > load.json             for a machine to read

Use an enterprise key: the other plans limit the requests per minute, and a rejected request counts as failed.

`

// options holds the values of the command line's flags.
type options struct {
	endpoint string
	key      string
	clients  int
	duration time.Duration
	requests int // 0: as many as the duration allows
	warmUp   int
	timeout  time.Duration
	seed     uint64
	lexical  bool
	json     bool
}

// Run runs the command and returns its exit code: 0, 1 if a request failed, or 2 after a wrong command line.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}

	if err != nil {
		fmt.Fprintf(stderr, "load: %v\n", err)
		return 2
	}

	r, err := load(ctx, o, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "load: %v\n", err)
		return 1
	}

	if o.json {
		err = r.writeJSON(stdout)
	} else {
		err = r.writeText(stdout)
	}

	if err != nil {
		fmt.Fprintf(stderr, "load: write the report: %v\n", err)
		return 1
	}

	// Failed requests are part of the report, but a script should notice them without reading it.
	if r.failed() > 0 {
		return 1
	}

	return 0
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var address string
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	// Run prints errors itself, with the name of the command.
	flags.SetOutput(io.Discard)
	flags.StringVar(&address, "url", "http://127.0.0.1:8080", "`address` of the service")
	flags.StringVar(&o.key, "key", "", "API `key`")
	flags.IntVar(&o.clients, "clients", 8, "`number` of concurrent clients, 1 to 1024")
	flags.DurationVar(&o.duration, "duration", 20*time.Second, "maximum `time` to measure, up to 1h")
	flags.IntVar(&o.requests, "requests", 0, "maximum `number` of requests, up to 10000000; 0 is no limit")
	flags.IntVar(&o.warmUp, "warm-up", 200, "`number` of requests before the measurement, up to 1000000")
	flags.DurationVar(&o.timeout, "timeout", 10*time.Second, "maximum `time` of one request")
	flags.Uint64Var(&o.seed, "seed", 1, "seed `number` of the generated briefs")
	flags.BoolVar(&o.lexical, "lexical", false, "match by words and skills only, without the semantic feature")
	flags.BoolVar(&o.json, "json", false, "print the report as JSON, with times in milliseconds")

	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stderr, usage)
			flags.SetOutput(stderr)
			flags.PrintDefaults()
		}
		return o, err
	}

	o.endpoint = strings.TrimRight(address, "/") + "/api/v1/match"

	// All faults are reported at once.
	return o, errors.Join(
		unless(flags.NArg() == 0, "unexpected argument %q", flags.Arg(0)),
		unless(isAddress(address), "-url must be like http://127.0.0.1:8080, got %q", address),
		unless(o.key != "", "-key must be an API key of the service"),
		unless(o.clients >= 1 && o.clients <= 1024, "-clients must be 1 to 1024, got %d", o.clients),
		unless(o.duration > 0 && o.duration <= time.Hour, "-duration must be above 0 and up to 1h, got %v", o.duration),
		unless(o.requests >= 0 && o.requests <= 10_000_000, "-requests must be 0 to 10000000, got %d", o.requests),
		unless(o.warmUp >= 0 && o.warmUp <= 1_000_000, "-warm-up must be 0 to 1000000, got %d", o.warmUp),
		unless(o.timeout > 0, "-timeout must be above 0, got %v", o.timeout),
	)
}

func unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && strings.Trim(u.Path, "/") == ""
}
