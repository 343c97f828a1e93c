// Package pgurl turns the URL of a PostgreSQL database into the configuration of a connection, with TLS unless the
// database is on this host.
package pgurl

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Parse returns the configuration for a URL such as postgres://user@host:5432/database. Unless the URL has an sslmode
// or the database is on this host, the server's certificate must be valid for its name. The password takes precedence
// over one in the URL and may be empty. Errors contain neither.
//
// Parse removes the password before pgx parses the URL, because pgx quotes the URL in errors.
func Parse(address, password string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return nil, errors.New("the PostgreSQL URL must be like postgres://user@host:5432/database")
	}

	for option := range maps.Keys(u.Query()) {
		if strings.Contains(strings.ToLower(option), "password") {
			return nil, errors.New("the PostgreSQL URL must not contain a password in its options; give it separately")
		}
	}

	if inURL, ok := u.User.Password(); ok {
		u.User = url.User(u.User.Username())
		password = cmp.Or(password, inURL)
	}

	config, err := pgx.ParseConfig(u.String())
	if err == nil && !sslModeGiven(u) && !onThisHost(config) {
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&sslmode=verify-full", "&")
		config, err = pgx.ParseConfig(u.String())
	}

	if err != nil {
		return nil, fmt.Errorf("the PostgreSQL URL is invalid: %w", err)
	}

	if password != "" {
		config.Password = password
	}

	return config, nil
}

// sslModeGiven reports whether the operator chose a mode of TLS, in the URL or in libpq's environment variable.
func sslModeGiven(u *url.URL) bool {
	return u.Query().Has("sslmode") || u.Query().Has("ssl") || os.Getenv("PGSSLMODE") != ""
}

// onThisHost reports whether every address of the database is a Unix socket or on the loopback interface.
func onThisHost(config *pgx.ConnConfig) bool {
	hosts := []string{config.Host}
	for _, f := range config.Fallbacks {
		hosts = append(hosts, f.Host)
	}
	return !slices.ContainsFunc(hosts, func(host string) bool {
		ip, err := netip.ParseAddr(host)
		local := err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(host, "localhost") ||
			strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@")
		return !local
	})
}

// Explain adds the next step to an error of TLS.
func Explain(err error) error {
	step := ""
	if _, unverified := errors.AsType[*tls.CertificateVerificationError](err); unverified {
		step = "add sslrootcert=FILE to the database URL, with the certificate of the authority that signed the server's " +
			"certificate, and use the host name in that certificate"
	} else if strings.Contains(err.Error(), "server refused TLS connection") { // pgx has no error value for it
		step = "enable TLS on the PostgreSQL server, or add sslmode=disable to the database URL if you trust the network " +
			"between the two"
	}
	if step == "" {
		return err
	}
	return fmt.Errorf("%s: %w", step, err)
}
