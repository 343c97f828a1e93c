// Package elastictest finds the Elasticsearch that integration tests use.
package elastictest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/freelancer-matching/service/engine/elastic"
)

// The environment variables that name a cluster.
const (
	// URLVariable has the address of a node. It may have a user and a password: https://user:password@host:9200.
	URLVariable = "MATCHING_TEST_ELASTICSEARCH_URL"
	// CAVariable names a PEM file with the authority that signed the node's certificate, if the system doesn't know it.
	CAVariable = "MATCHING_TEST_ELASTICSEARCH_CA_FILE"
)

// A Cluster is an Elasticsearch for tests. They create and delete indexes with their own prefixes.
type Cluster struct {
	URL            string // without a slash at the end, a user or a password
	User, Password string // "" for none
	CA             []byte // PEM; nil for the authorities of the system
	Client         *http.Client
}

// FromEnvironment returns the cluster that the environment names, or nil for none.
func FromEnvironment() (*Cluster, error) {
	address := os.Getenv(URLVariable)
	if address == "" {
		return nil, nil //nolint:nilnil // documented
	}
	u, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || u.Host == "" {
		return nil, errors.New(URLVariable + " must be a URL such as https://user:password@host:9200") // without the password
	}

	c := &Cluster{Client: http.DefaultClient}
	if u.User != nil {
		c.User = u.User.Username()
		c.Password, _ = u.User.Password()
		u.User = nil
	}
	c.URL = u.String()

	if file := os.Getenv(CAVariable); file != "" {
		if c.CA, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("%s: %w", CAVariable, err)
		}
		if c.Client, err = ClientTrusting(c.CA); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", CAVariable, file, err)
		}
	}

	return c, nil
}

// ClientTrusting returns a client that trusts only the authorities in a PEM text.
func ClientTrusting(pem []byte) (*http.Client, error) {
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(pem) {
		return nil, errors.New("no certificate in PEM")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}}
	return &http.Client{Transport: transport}, nil
}

// Options returns the options that open an engine on the cluster, with a prefix of the names of its indexes.
func (c *Cluster) Options(prefix string) elastic.Options {
	o := elastic.DefaultOptions()
	o.URLs = []string{c.URL}
	o.Username = c.User
	o.Password = func() string { return c.Password }
	o.CACert = c.CA
	o.Prefix = prefix
	return o
}

// Do sends a request directly, with the user's password.
func (c *Cluster) Do(r *http.Request) (*http.Response, error) {
	if c.User != "" {
		r.SetBasicAuth(c.User, c.Password)
	}
	return c.Client.Do(r) //nolint:gosec // the developer names the cluster
}
