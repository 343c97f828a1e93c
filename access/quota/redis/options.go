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
	// connections is how many there are at most. A count takes a fraction of a millisecond, so that few serve thousands a second.
	connections = 32
	buffer      = 4 << 10 // bytes, twice for each connection: requests and answers are short
)

// Options says where the server is.
type Options struct {
	URL      string        // redis://[[user]:[password]@]host[:port][/database]; rediss:// with TLS
	Password string        // "": the one of the URL, if any
	Prefix   string        // of all names that are written, such as "matching:quota:"
	Timeout  time.Duration // the longest that a call may take, all in all; 0: 250 ms
}

// settings is the options in the client's words. An error repeats nothing of the URL, which may have a password anywhere.
func (o Options) settings() (*redis.Options, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.New("the URL cannot be read; want redis://[user[:password]@]host[:port][/database], and a special " +
			"character of a password written as %XX, or the password outside of the URL")
	}
	s := &redis.Options{
		Addr: u.Host, Password: o.Password,
		// The client would send a script again when its answer is lost, and count twice.
		MaxRetries: -1, DialerRetries: 1,
		ContextTimeoutEnabled: true,
		PoolSize:              connections, MaxActiveConns: connections, PipelinePoolSize: -1,
		ReadBufferSize: buffer, WriteBufferSize: buffer,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	timeout := o.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	s.DialTimeout, s.ReadTimeout, s.WriteTimeout, s.PoolTimeout = timeout, timeout, timeout, timeout

	switch u.Scheme {
	case "redis":
	case "rediss":
		s.TLSConfig = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	default:
		return nil, errors.New("the URL must begin with redis:// or rediss://")
	}
	if u.Hostname() == "" {
		return nil, errors.New("the URL names no host; want redis://host:port")
	}
	if port := u.Port(); port == "" {
		s.Addr = net.JoinHostPort(u.Hostname(), defaultPort)
	} else if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return nil, errors.New("the port in the URL must be a number from 1 to 65535")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the URL has something behind the database; leave out ? and # and what follows them")
	}
	if database := strings.Trim(u.Path, "/"); database != "" {
		if s.DB, err = strconv.Atoi(database); err != nil || s.DB < 0 {
			return nil, errors.New("the database in the URL must be a number from 0 on; a / in a password is written as %2F")
		}
	}
	if u.User == nil {
		return s, nil
	}
	s.Username = u.User.Username()
	if inURL, given := u.User.Password(); given && o.Password != "" {
		return nil, errors.New("the password is given twice, in the URL and outside of it; leave out one")
	} else if given {
		s.Password = inURL
	}
	return s, nil
}
