package redis

import (
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	defaultPort    = "6379"
	defaultTimeout = 250 * time.Millisecond
	// maxConnections is enough for thousands of requests per second, because each takes a fraction of a millisecond.
	maxConnections = 32
	bufferSize     = 4 << 10 // bytes, for each direction of a connection: commands and replies are short
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

// settings converts o to the client's options. Its errors repeat no part of the URL, because the password may be in
// any.
func (o Options) settings() (*redis.Options, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.New("the URL is malformed; want redis://[user[:password]@]host[:port][/database], with " +
			"special characters of the password percent-encoded, or the password given separately")
	}
	timeout := o.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	s := &redis.Options{
		Addr: u.Host,
		// A retry could count a request twice: the first attempt may have succeeded although its reply was lost.
		MaxRetries:    -1,
		DialerRetries: 1,

		ContextTimeoutEnabled: true,
		DialTimeout:           timeout,
		ReadTimeout:           timeout,
		WriteTimeout:          timeout,
		PoolTimeout:           timeout,

		PoolSize:         maxConnections,
		MaxActiveConns:   maxConnections,
		PipelinePoolSize: -1,
		ReadBufferSize:   bufferSize,
		WriteBufferSize:  bufferSize,

		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}

	switch u.Scheme {
	case "redis":
	case "rediss":
		s.TLSConfig = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	default:
		return nil, errors.New("the URL must begin with redis:// or rediss://")
	}
	if u.Hostname() == "" {
		return nil, errors.New("the URL has no host; want redis://host:port")
	}
	if port := u.Port(); port == "" {
		s.Addr = net.JoinHostPort(u.Hostname(), defaultPort)
	} else if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, errors.New("the port in the URL must be a number from 1 to 65535")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the URL must end with the database; remove ? or # and what follows, or percent-encode " +
			"them in the password")
	}
	if database := strings.Trim(u.Path, "/"); database != "" {
		if s.DB, err = strconv.Atoi(database); err != nil || s.DB < 0 {
			return nil, errors.New("the database in the URL must be a number, 0 or greater; write / in a password as %2F")
		}
	}
	separate := o.Password != nil && o.Password() != ""
	if separate {
		s.CredentialsProvider = func() (username, password string) { return s.Username, o.Password() }
	}
	if u.User == nil {
		return s, nil
	}
	s.Username = u.User.Username()
	if password, given := u.User.Password(); given {
		if separate {
			return nil, errors.New("the password is given twice, in the URL and separately; remove one")
		}
		s.Password = password
	}
	return s, nil
}
