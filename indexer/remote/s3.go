package remote

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// emptyHash is the SHA-256 checksum of an empty request body.
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// regionName matches the names of regions, which become part of a host name.
var regionName = regexp.MustCompile(`^[a-z0-9-]+$`)

// requestS3 returns the signed request for an object or, with a query, for a bucket. Credentials, region and endpoint
// are in the environment variables that the AWS command line uses.
func (c *Client) requestS3(ctx context.Context, a *Address, query url.Values) (*http.Request, error) {
	variable := func(name string) string {
		if value, ok := c.Environment(name); ok {
			return value
		}
		return ""
	}

	credentials := aws.Credentials{
		AccessKeyID: variable("AWS_ACCESS_KEY_ID"), SecretAccessKey: variable("AWS_SECRET_ACCESS_KEY"),
		SessionToken: variable("AWS_SESSION_TOKEN"),
	}
	if credentials.AccessKeyID == "" || credentials.SecretAccessKey == "" {
		return nil, errors.New("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; for an object that everyone may read, " +
			"use its https:// URL")
	}

	region := cmp.Or(variable("AWS_REGION"), variable("AWS_DEFAULT_REGION"))
	endpoint := cmp.Or(variable("AWS_ENDPOINT_URL_S3"), variable("AWS_ENDPOINT_URL"))
	if region == "" && endpoint != "" {
		region = "us-east-1" // what MinIO and others expect
	}

	if !regionName.MatchString(region) {
		return nil, errors.New("set AWS_REGION to the region of the bucket, such as eu-central-1")
	}
	u, err := a.objectURL(endpoint, region)
	if err != nil {
		return nil, err
	}

	u.RawQuery = query.Encode()
	r, err := newRequest(ctx, u)
	if err != nil {
		return nil, err
	}

	return r, sign(r, credentials, region, c.Now())
}

// objectURL returns the URL of an object, or of a bucket if the key is empty.
func (a *Address) objectURL(endpoint, region string) (*url.URL, error) {
	u := &url.URL{Scheme: "https", Host: a.bucket + ".s3." + region + ".amazonaws.com"}
	key := a.key
	if endpoint != "" {
		e, err := url.Parse(endpoint)
		if err != nil || e.Host == "" || !isAllowed(e) {
			return nil, errors.New("AWS_ENDPOINT_URL must be an https:// URL (http:// is only for this machine)")
		}
		u = &url.URL{Scheme: e.Scheme, Host: e.Host}
		key = strings.TrimPrefix(strings.Trim(e.Path, "/")+"/", "/") + a.bucket + "/" + a.key
	} else if strings.Contains(a.bucket, ".") { // the certificate is for one level of names
		u.Host = "s3." + region + ".amazonaws.com"
		key = a.bucket + "/" + a.key
	}
	u.Path, u.RawPath = "/"+key, "/"+escapeKey(key)
	return u, nil
}

// escapeKey escapes a key as the signature requires: everything but unreserved characters and slashes.
func escapeKey(key string) string {
	var b strings.Builder
	for _, c := range []byte(key) {
		isUnreserved := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			strings.IndexByte("-_.~/", c) >= 0
		if isUnreserved {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// sign signs a request without a body.
func sign(r *http.Request, credentials aws.Credentials, region string, now time.Time) error {
	r.Header.Set("X-Amz-Content-Sha256", emptyHash)
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }) // S3 differs from other services
	return signer.SignHTTP(r.Context(), credentials, r, emptyHash, "s3", region, now)
}

// errorCode returns the code of an S3 error, such as SignatureDoesNotMatch.
func errorCode(response *http.Response) string {
	var body struct{ Code string }
	if err := xml.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&body); err != nil {
		return "" // the status has to do
	}
	if strings.ContainsFunc(body.Code, func(r rune) bool { return r < '0' || r > 'z' }) {
		return ""
	}
	return body.Code
}
