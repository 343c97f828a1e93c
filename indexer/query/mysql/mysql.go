// Package mysql reads rows from MySQL and MariaDB databases as package query does from PostgreSQL: as lines of JSON
// with digests, in sessions that always find the same rows.
package mysql

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	connectTimeout = 10 * time.Second
	defaultPort    = "3306"
	// utc is the time zone of sessions unless the URL has another one. The text of a TIMESTAMP depends on it.
	utc = "+00:00"
	// passwordVariable is the environment variable with the password that MySQL's own programs read.
	passwordVariable = "MYSQL_PWD" //nolint:gosec // the name, not a password
)

// Database is a MySQL or MariaDB database. It has a password; String leaves it out.
type Database struct {
	config *mysql.Config
	// zone is the time zone of sessions, and isZoneGiven says that it is in the URL.
	zone        string
	isZoneGiven bool
}

var errURL = errors.New("the MySQL URL must be like mysql://user@host:3306/database")

// The options of a URL.
const (
	optionMode   = "ssl-mode"
	optionCA     = "ssl-ca"
	optionSocket = "socket"
	optionZone   = "time_zone"
)

// zonePattern matches the time zones that a server knows: offsets and names.
var zonePattern = regexp.MustCompile(`^([+-]\d\d:\d\d|[A-Za-z][A-Za-z0-9_+/-]{0,63})$`)

// ParseURL parses a mysql:// URL. Unless it has an ssl-mode or the database is on this host, the server's certificate
// must be valid for its name. The password may also be in MYSQL_PWD. Errors don't contain it.
func ParseURL(address string) (*Database, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "mysql" && u.Scheme != "mariadb" {
		return nil, errURL
	}
	name := strings.Trim(u.Path, "/")
	if name == "" || strings.Contains(name, "/") {
		return nil, errURL
	}

	options, err := parseOptions(u)
	if err != nil {
		return nil, err
	}
	zone, isZoneGiven := options[optionZone]
	if isZoneGiven && !zonePattern.MatchString(zone) {
		return nil, errors.New("time_zone in the MySQL URL must be an offset such as %2B00:00, or the name of a time zone")
	}

	config := mysql.NewConfig()
	config.User = u.User.Username()
	config.Passwd = os.Getenv(passwordVariable)
	if password, ok := u.User.Password(); ok {
		config.Passwd = password
	}
	config.DBName = name
	config.Timeout = connectTimeout
	config.Logger = &mysql.NopLogger{} // errors are returned

	config.Net = "tcp"
	config.Addr = net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), defaultPort))
	if socket := options[optionSocket]; socket != "" {
		config.Net = "unix"
		config.Addr = socket
	} else if u.Hostname() == "" {
		return nil, errURL
	}
	if err := setTLS(config, u.Hostname(), options); err != nil {
		return nil, err
	}

	zone = cmp.Or(zone, utc)
	config.Params = map[string]string{
		"time_zone": "'" + zone + "'",
		// The digest of a person is made of the hashes of their rows, however many there are.
		"group_concat_max_len": "1073741824",
	}
	if err := config.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		return nil, err
	}

	return &Database{config, zone, isZoneGiven}, nil
}

// parseOptions returns the options of a URL.
func parseOptions(u *url.URL) (map[string]string, error) {
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errURL
	}
	options := make(map[string]string)
	known := []string{optionMode, optionCA, optionSocket, optionZone}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, name) || len(values[name]) > 1 {
			return nil, fmt.Errorf("%.40q in the MySQL URL is unknown or repeated; the options are %s", name,
				strings.Join(known, ", "))
		}
		options[name] = values[name][0]
	}
	return options, nil
}

// setTLS sets how the connection is encrypted.
func setTLS(config *mysql.Config, host string, options map[string]string) error {
	mode, isGiven := options[optionMode]
	if !isGiven {
		mode = "VERIFY_IDENTITY"
		if config.Net == "unix" || isThisHost(host) {
			mode = "DISABLED"
		}
	}

	switch strings.ToUpper(mode) {
	case "DISABLED":
		config.TLSConfig = "false"
	case "REQUIRED":
		config.TLSConfig = "skip-verify"
	case "VERIFY_IDENTITY":
		config.TLSConfig = "true"
	default:
		return errors.New("ssl-mode in the MySQL URL must be VERIFY_IDENTITY, REQUIRED or DISABLED")
	}

	file := options[optionCA]
	switch {
	case file == "":
		return nil
	case config.TLSConfig != "true":
		return errors.New("ssl-ca in the MySQL URL needs ssl-mode=VERIFY_IDENTITY")
	}
	certificates, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("ssl-ca in the MySQL URL: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(certificates) {
		return fmt.Errorf("ssl-ca in the MySQL URL: %s has no certificates", file)
	}
	config.TLS = &tls.Config{RootCAs: roots, ServerName: host, MinVersion: tls.VersionTLS12}

	return nil
}

// isThisHost reports whether an address is on the loopback interface.
func isThisHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// String returns the address without user, password and options.
func (d *Database) String() string {
	if d.config.Net == "unix" {
		return fmt.Sprintf("mysql:///%s?socket=%s", d.config.DBName, d.config.Addr)
	}
	return fmt.Sprintf("mysql://%s/%s", d.config.Addr, d.config.DBName)
}

// open returns a pool of connections, which has none yet.
func (d *Database) open() (*sql.DB, error) {
	connector, err := mysql.NewConnector(d.config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// explain adds the address of the database to an error, and what can be done about it.
func (d *Database) explain(err error) error {
	step := ""
	_, isUnverified := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case isUnverified:
		step = ": add ssl-ca=FILE to the URL, with the certificate of the authority that signed the server's certificate, " +
			"and use the host name in that certificate"
	case errors.Is(err, mysql.ErrNoTLS):
		step = ": enable TLS on the server, or add ssl-mode=DISABLED to the URL if you trust the network between the two"
	}
	return fmt.Errorf("%s%s: %w", d, step, err)
}
