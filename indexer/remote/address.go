// Package remote downloads files from web servers and S3 into spools, with limits, deadlines, checksums and retries.
// Nothing that it prints or returns for display contains a password or the values of a query string, which may be a
// signature.
package remote

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Address is the address of a file on a web server or on S3. It may contain secrets; String leaves them out.
type Address struct {
	url      *url.URL      // without user and fragment; for S3 only a name
	user     *url.Userinfo // nil if there is none
	bucket   string        // of S3
	key      string
	checksum []byte // SHA-256 of the file; nil if it is not known
}

// ChecksumMark separates an address from the checksum of its file.
const ChecksumMark = "#sha256="

// bucketName matches the names of buckets, which become part of a host name.
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// ParseAddress parses an https:// or s3:// URL, or an http:// URL of this machine. It may end with #sha256= and the
// checksum of the file. The error quotes no part of the text, because any part may be a secret.
func ParseAddress(text string) (*Address, error) {
	text, sum, hasSum := cutLast(text, ChecksumMark)
	var a *Address
	var err error
	if scheme, rest, _ := strings.Cut(text, "://"); strings.EqualFold(scheme, "s3") {
		a, err = parseS3(rest)
	} else {
		a, err = parseWeb(text)
	}
	if err == nil && hasSum {
		err = a.SetChecksum(sum)
	}
	return a, err
}

// cutLast cuts text at the last occurrence of sep.
func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

func parseWeb(text string) (*Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("the URL of a file is invalid; write special characters of its user name, password and " +
			"query as %XX")
	}
	if !isAllowed(u) {
		return nil, fmt.Errorf("%s is not encrypted; use https:// (http:// is only for this machine)", redact(u))
	}
	a := &Address{url: u, user: u.User}
	u.User = nil
	u.Fragment = ""
	u.RawFragment = ""
	return a, nil
}

var errObjectURL = errors.New("an S3 URL names an object or a folder; use s3://BUCKET/KEY or s3://BUCKET/FOLDER/")

func parseS3(rest string) (*Address, error) {
	bucket, key, _ := strings.Cut(rest, "/")
	if !bucketName.MatchString(bucket) || key == "" || strings.HasSuffix(key, "/") {
		return nil, errObjectURL
	}
	return &Address{url: &url.URL{Scheme: "s3", Host: bucket, Path: "/" + key}, bucket: bucket, key: key}, nil
}

// SetChecksum sets the expected SHA-256 checksum, in hexadecimal.
func (a *Address) SetChecksum(text string) error {
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != 32 {
		return errors.New("the checksum is invalid; use 64 hexadecimal digits, as sha256sum prints them")
	}
	a.checksum = sum
	return nil
}

// String returns the address without user, password and the values of its query string.
func (a *Address) String() string {
	if a.bucket != "" {
		return "s3://" + a.bucket + "/" + a.key
	}
	return redact(a.url)
}

// redact returns a URL without user, password and the values of its query string.
func redact(u *url.URL) string {
	text := u.Scheme + "://" + u.Host + u.EscapedPath()
	if u.RawQuery == "" {
		return text
	}
	var names []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, ok := strings.Cut(pair, "="); ok {
			names = append(names, name+"=…")
		} else {
			names = append(names, "…") // a query without names may be a secret as a whole
		}
	}
	return text + "?" + strings.Join(slices.Compact(names), "&")
}

// isAllowed reports whether files may be downloaded from a URL: with TLS, or from this machine.
func isAllowed(u *url.URL) bool {
	if u.Scheme == "https" {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "http" && (err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(u.Hostname(), "localhost"))
}

// Known returns the version of the file to compare with on the server, or an empty one if an unchanged version must be
// downloaded anyway: String does not identify a file with a query string, and the version may not be the one with the
// expected checksum. sum is the SHA-256 checksum of the version, in hexadecimal.
func (a *Address) Known(v Version, sum string) Version {
	if a.url.RawQuery != "" || a.checksum != nil && sum != hex.EncodeToString(a.checksum) {
		return Version{}
	}
	return v
}
