package remote

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// The keys of the examples in the Amazon S3 API reference.
const (
	exampleID     = "AKIAIOSFODNN7EXAMPLE"
	exampleSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
)

// The signature is from the example "GET Object" in the Amazon S3 API reference, page "Signature Calculations for the
// Authorization Header".
func TestSign_DocumentedExample(t *testing.T) {
	const object = "https://examplebucket.s3.amazonaws.com/test.txt"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, object, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Range", "bytes=0-9")
	now := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	err = sign(r, aws.Credentials{AccessKeyID: exampleID, SecretAccessKey: exampleSecret}, "us-east-1", now)
	want := "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, " +
		"SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, " +
		"Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
	if got := r.Header.Get("Authorization"); err != nil || got != want {
		t.Errorf("%v, Authorization\n%s, want\n%s", err, got, want)
	}
}

// verify computes the signature of a received request as S3 does.
func verify(r *http.Request, secret string) error {
	var credential, signed, signature string
	for part := range strings.SplitSeq(strings.TrimPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "), ", ") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "Credential":
			credential = value
		case "SignedHeaders":
			signed = value
		case "Signature":
			signature = value
		}
	}

	_, scope, _ := strings.Cut(credential, "/")
	canonical := r.Method + "\n" + r.URL.EscapedPath() + "\n" + r.URL.RawQuery + "\n"
	for name := range strings.SplitSeq(signed, ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		canonical += name + ":" + value + "\n"
	}

	canonical += "\n" + signed + "\n" + r.Header.Get("X-Amz-Content-Sha256")
	hash := sha256.Sum256([]byte(canonical))
	toSign := "AWS4-HMAC-SHA256\n" + r.Header.Get("X-Amz-Date") + "\n" + scope + "\n" + hex.EncodeToString(hash[:])
	key := []byte("AWS4" + secret)
	for _, part := range append(strings.Split(scope, "/"), toSign) {
		mac := hmac.New(sha256.New, key)
		_, _ = io.WriteString(mac, part)
		key = mac.Sum(nil)
	}

	if got := hex.EncodeToString(key); got != signature {
		return fmt.Errorf("signature %q, want %s of\n%s", signature, got, canonical)
	}

	return nil
}

// newS3 starts a server that checks signatures, and returns the environment of its clients.
func newS3(t *testing.T) (environment map[string]string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := verify(r, exampleSecret); err != nil {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code></Error>`)
			return
		}

		switch r.URL.EscapedPath() {
		case "/exports/2026/people%20%2B%231%3D%C3%BC.csv":
			_, _ = io.WriteString(w, content)
		case "/exports/moved.csv":
			w.Header().Set("X-Amz-Bucket-Region", "eu-central-1")
			w.Header().Set("Location", "https://exports.s3.eu-central-1.amazonaws.com/moved.csv")
			w.WriteHeader(http.StatusMovedPermanently)

		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `<Error><Code>NoSuchKey</Code><Key>s3cret</Key></Error>`)
		}
	}))

	t.Cleanup(server.Close)
	return map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": exampleID, "AWS_SECRET_ACCESS_KEY": exampleSecret,
	}
}

func TestDownload_S3(t *testing.T) {
	tests := []struct {
		name, key, variable, value string
		want                       string // empty if the download succeeds
	}{
		{"an object", "2026/people +#1=ü.csv", "", "", ""},
		{"a session token", "2026/people +#1=ü.csv", "AWS_SESSION_TOKEN", "t0ken", ""},
		{"no object", "none.csv", "", "", "404 Not Found (NoSuchKey): there is no such file"},
		{"no credentials", "a.csv", "AWS_ACCESS_KEY_ID", "", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
		{
			"wrong secret", "a.csv", "AWS_SECRET_ACCESS_KEY", "s3cret",
			"403 Forbidden (SignatureDoesNotMatch): check the AWS_ variables",
		},
		{"no region", "a.csv", "AWS_ENDPOINT_URL", "", "set AWS_REGION"},
		{"invalid region", "a.csv", "AWS_REGION", "evil.example/", "set AWS_REGION"},
		{"no TLS", "a.csv", "AWS_ENDPOINT_URL_S3", "http://u:s3cret@storage.example", "must be an https:// URL"},
		{"another region", "moved.csv", "", "", `301 Moved Permanently: the bucket is in another region; ` +
			`set AWS_REGION="eu-central-1"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			environment := newS3(t)
			if test.variable != "" {
				environment[test.variable] = test.value
			}
			r := newRig(nil)
			r.Environment = func(name string) (string, bool) { v, ok := environment[name]; return v, ok }
			got, err := r.download(t, "s3://exports/"+test.key)

			if test.want == "" {
				if err != nil || got != content {
					t.Errorf("%q, %v", got, err)
				}
			} else if err == nil || !strings.Contains(err.Error(), "s3://exports/"+test.key+": ") ||
				!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestObjectURL(t *testing.T) {
	for _, test := range []struct{ address, endpoint, want string }{
		{"s3://exports/a/b.csv", "", "https://exports.s3.eu-west-1.amazonaws.com/a/b.csv"},
		{"s3://exports.example/a.csv", "", "https://s3.eu-west-1.amazonaws.com/exports.example/a.csv"},
		{"s3://exports/a b&c.csv", "https://storage.example:9000/", "https://storage.example:9000/exports/a%20b%26c.csv"},
		{"s3://exports/a.csv", "https://storage.example/s3", "https://storage.example/s3/exports/a.csv"},
	} {
		if u, err := address(t, test.address).objectURL(test.endpoint, "eu-west-1"); err != nil || u.String() != test.want {
			t.Errorf("%s at %q: %v, %v, want %s", test.address, test.endpoint, u, err, test.want)
		}
	}
}
