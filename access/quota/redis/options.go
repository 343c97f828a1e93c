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

	s := &settings{address: u.Host, timeout: cmp.Or(o.Timeout, defaultTimeout)}
	switch u.Scheme {
	case "redis":
	case "rediss":
		s.tls = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	default:
		return nil, errors.New("the URL must begin with redis:// or rediss://")
	}

	if u.Hostname() == "" {
		return nil, errors.New("the URL has no host; want redis://host:port")
	}

	if port := u.Port(); port == "" {
		s.address = net.JoinHostPort(u.Hostname(), defaultPort)
	} else if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, errors.New("the port in the URL must be a number from 1 to 65535")
	}

	// An unescaped ? or # in a password would cut the URL short and leave a part of the password out.
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the URL must end with the database; remove ? or # and what follows, or percent-encode " +
			"them in the password")
	}

	if database := strings.Trim(u.Path, "/"); database != "" {
		if s.database, err = strconv.Atoi(database); err != nil || s.database < 0 {
			return nil, errors.New("the database in the URL must be a number, 0 or greater; write / in a password as %2F")
		}
	}

	s.username = u.User.Username()
	password, given := u.User.Password()
	s.password = func() string { return password }

	if o.Password != nil && o.Password() != "" {
		if given {
			return nil, errors.New("the password is given twice, in the URL and separately; remove one")
		}
		s.password = o.Password
	}

	return s, nil
}
