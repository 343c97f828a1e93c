package redis

import (
	"cmp"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	defaultPort    = "6379"
	defaultTimeout = 250 * time.Millisecond
	// maxConnections is enough for thousands of requests per second, because each takes a fraction of a millisecond.
	maxConnections = 32
	// idleTimeout closes connections that a peak left behind.
	idleTimeout = 5 * time.Minute
)

// Options says how to reach the server.
type Options struct {
	URL string // redis://[[user]:[password]@]host[:port][/database], or rediss:// for TLS
	// Password replaces a password in the URL; it is an error to give both. It is called for every connection and may be
	// nil.
	Password func() string
	Prefix   string        // of every key that the store writes, such as "matching:quota:"
	Timeout  time.Duration // of one call including connecting; 0: 250 ms
}

// settings are the parts of Options, checked.
type settings struct {
	address  string // host:port
	database int
	username string
	password func() string // asked for every connection
	tls      *tls.Config   // nil for a connection without TLS
	timeout  time.Duration
}

// settings checks o. Its errors repeat no part of the URL, because the password may be in any.
func (o Options) settings() (*settings, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.New("the URL is malformed; want redis://[user[:password]@]host[:port][/database], with " +
			"special characters of the password percent-encoded, or the password given separately")
	}

	s := &settings{username: u.User.Username(), timeout: cmp.Or(o.Timeout, defaultTimeout)}
	switch u.Scheme {
	case "redis":
	case "rediss":
		s.tls = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	default:
		return nil, errors.New("the URL must begin with redis:// or rediss://")
	}

	if s.address, err = addressOf(u); err != nil {
		return nil, err
	}

	// An unescaped ? or # in a password would cut the URL short and leave a part of the password out.
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the URL must end with the database; remove ? or # and what follows, or percent-encode " +
			"them in the password")
	}

	if s.database, err = databaseOf(u); err != nil {
		return nil, err
	}
	if s.password, err = o.passwordOf(u); err != nil {
		return nil, err
	}

	return s, nil
}

// addressOf returns host:port of a URL.
func addressOf(u *url.URL) (string, error) {
	if u.Hostname() == "" {
		return "", errors.New("the URL has no host; want redis://host:port")
	}
	if u.Port() == "" {
		return net.JoinHostPort(u.Hostname(), defaultPort), nil
	}
	if port, err := strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
		return "", errors.New("the port in the URL must be a number from 1 to 65535")
	}
	return u.Host, nil
}

// databaseOf returns the number of the database in the path of a URL, which is 0 if there is no path.
func databaseOf(u *url.URL) (int, error) {
	path := strings.Trim(u.Path, "/")
	if path == "" {
		return 0, nil
	}
	database, err := strconv.Atoi(path)
	if err != nil || database < 0 {
		return 0, errors.New("the database in the URL must be a number, 0 or greater; write / in a password as %2F")
	}
	return database, nil
}

// passwordOf returns the function that returns the password, which is given in the URL, separately, or not at all.
func (o Options) passwordOf(u *url.URL) (func() string, error) {
	inURL, given := u.User.Password()
	if o.Password == nil || o.Password() == "" {
		return func() string { return inURL }, nil
	}
	if given {
		return nil, errors.New("the password is given twice, in the URL and separately; remove one")
	}
	return o.Password, nil
}
