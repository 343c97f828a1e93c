package remote

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A bucket is a server that lists objects in small pages and checks signatures.
type bucket struct {
	keys     []string
	plain    bool                                              // it ignores encoding-type
	respond  func(w http.ResponseWriter, r *http.Request) bool // reports whether it responded; nil for a list
	requests int
}

// ServeHTTP implements http.Handler.
func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.requests++
	query := r.URL.Query()
	isListing := r.URL.Path == "/exports/" && query.Get("list-type") == "2"
	switch {
	case verify(r, exampleSecret) != nil || !isListing:
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `<Error><Code>SignatureDoesNotMatch</Code></Error>`)
		return
	case b.respond != nil && b.respond(w, r):
		return
	}

	// The token needs escaping in the query, as those of real servers do.
	at, _ := strconv.Atoi(strings.TrimPrefix(query.Get("continuation-token"), "+/= &"))
	fits := slices.DeleteFunc(slices.Clone(b.keys), func(key string) bool {
		return !strings.HasPrefix(key, query.Get("prefix"))
	})
	end := min(at+2, len(fits))

	encode := func(key string) string { return key }
	if query.Get("encoding-type") == "url" && !b.plain {
		encode = url.QueryEscape
		_, _ = io.WriteString(w, xml.Header+"<ListBucketResult><EncodingType>url</EncodingType>")
	} else {
		_, _ = io.WriteString(w, `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)
	}
	for _, key := range fits[at:end] {
		_, _ = io.WriteString(w, "<Contents><Key>")
		_ = xml.EscapeText(w, []byte(encode(key)))
		_, _ = io.WriteString(w, "</Key><Size>1</Size></Contents>")
	}
	if end < len(fits) {
		fmt.Fprintf(w, "<IsTruncated>true</IsTruncated><NextContinuationToken>+/= &amp;%d</NextContinuationToken>", end)
	}
	_, _ = io.WriteString(w, "</ListBucketResult>")
}

// start starts the server and returns its client.
func (b *bucket) start(t *testing.T) *rig {
	t.Helper()
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)

	r := newRig(nil)
	environment := map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": exampleID, "AWS_SECRET_ACCESS_KEY": exampleSecret,
	}
	r.Environment = func(name string) (string, bool) { v, ok := environment[name]; return v, ok }
	return r
}

func prefix(t *testing.T, text string) *Prefix {
	t.Helper()
	p, err := ParsePrefix(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// list returns the URLs of the objects that begin with a text.
func (b *bucket) list(t *testing.T, start string) (urls []string, r *rig, err error) {
	t.Helper()
	r = b.start(t)
	err = r.List(t.Context(), prefix(t, start), func(url string) error {
		urls = append(urls, url)
		return nil
	})
	return urls, r, err
}

func TestList(t *testing.T) {
	keys := []string{
		"a+b c.csv", "dir/", "dir/<&>'\".csv", "dir/100%25.csv", "dir/jörg müller.csv", "dir/x=1/~(1)*.csv", "other/a.csv",
	}
	for _, plain := range []bool{false, true} {
		for _, test := range []struct {
			prefix          string
			requests, count int
		}{
			{"s3://exports/", 4, 7},
			{"S3://exports/dir/", 3, 5},
			{"s3://exports/a+b c", 1, 1},
			{"s3://exports/none", 1, 0},
		} {
			b := &bucket{keys: keys, plain: plain}
			got, _, err := b.list(t, test.prefix)
			var want []string
			for _, key := range keys {
				if at := "s3://exports/" + key; strings.HasPrefix(strings.ToLower(at), strings.ToLower(test.prefix)) {
					want = append(want, at)
				}
			}
			isRight := slices.Equal(got, want) && len(got) == test.count && b.requests == test.requests
			if err != nil || !isRight {
				t.Errorf("%s (plain: %v): %d requests, %q, %v, want %q", test.prefix, plain, b.requests, got, err, want)
			}
		}
	}
}

// Keys may have characters that XML can't hold.
func TestList_ControlCharacters(t *testing.T) {
	b := &bucket{keys: []string{"a\x01\n.csv"}}
	if got, _, err := b.list(t, "s3://exports/"); err != nil || !slices.Equal(got, []string{"s3://exports/a\x01\n.csv"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestList_Errors(t *testing.T) {
	const secret = "s3cret"
	fail := func(status int, code string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(status)
			fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, secret)
			return true
		}
	}
	send := func(text string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			_, _ = io.WriteString(w, strings.ReplaceAll(text, "LAST", r.URL.Query().Get("continuation-token")))
			return true
		}
	}
	const more = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>"
	const end = "</NextContinuationToken></ListBucketResult>"

	for name, test := range map[string]struct {
		respond  func(w http.ResponseWriter, r *http.Request) bool
		requests int
		want     string
	}{
		"no bucket": {fail(404, "NoSuchBucket"), 1, "404 Not Found (NoSuchBucket): check the name of the bucket and"},
		"denied": {
			fail(403, "AccessDenied"), 1, "403 Forbidden (AccessDenied): check the AWS_ variables; listing a bucket needs " +
				"the permission s3:ListBucket",
		},
		"overloaded":  {fail(503, "SlowDown"), 4, "503 Service Unavailable (SlowDown)"},
		"no token":    {send(more + end), 1, "did not say where the next page"},
		"same token":  {send(more + "abc" + end), 2, "did not say where the next page"},
		"endless":     {send(more + "LASTx" + end), 200, "more than 200 pages of objects; name a folder with fewer"},
		"a web page":  {send("<html><body>" + secret + "</body></html>"), 1, "did not send a list of objects"},
		"half a page": {send("<ListBucketResult><Contents><Key>a.csv</Key>"), 1, "did not send a list of objects"},
		"invalid name": {
			send("<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%zz</Key></Contents></ListBucketResult>"),
			1, "invalid names",
		},
		"a large page":  {send(strings.Repeat(" ", maxPage+1)), 1, "too large"},
		"another place": {fail(301, "PermanentRedirect"), 1, "301 Moved Permanently (PermanentRedirect)"},
		"interrupted": {func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "<ListBucketResult>")
			return true
		}, 4, "the list of objects was interrupted: unexpected EOF (after 4 attempts)"},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bucket{respond: test.respond}
			urls, r, err := b.list(t, "s3://exports/dir/")
			if err == nil || !strings.HasPrefix(err.Error(), "s3://exports/dir/: ") ||
				!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error()+r.log.String(), secret) {
				t.Errorf("error %v, want %q; log:\n%s", err, test.want, &r.log)
			}
			if b.requests != test.requests || len(urls) > 0 {
				t.Errorf("%d requests, want %d; objects %q", b.requests, test.requests, urls)
			}
		})
	}
}

// A page that fails for a while is asked for once more, and none of its objects is missing or repeated.
func TestList_Retries(t *testing.T) {
	b := &bucket{keys: []string{"a", "b", "c", "d", "e"}}
	b.respond = func(w http.ResponseWriter, _ *http.Request) bool {
		fails := b.requests%2 == 0
		if fails {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return fails
	}
	got, r, err := b.list(t, "s3://exports/")
	if err != nil || len(got) != 5 || b.requests != 5 || len(r.waits) != 2 {
		t.Errorf("%d requests after waiting %v: %q, %v", b.requests, r.waits, got, err)
	}
}

func TestList_StopsEarly(t *testing.T) {
	b := &bucket{keys: []string{"a", "b", "c", "d", "e"}}
	enough := errors.New("enough")
	err := b.start(t).List(t.Context(), prefix(t, "s3://exports/"), func(string) error { return enough })
	if !errors.Is(err, enough) || b.requests != 1 {
		t.Errorf("error %v after %d requests", err, b.requests)
	}
}

// A server that sends nothing is left at the deadline, and at an interrupt.
func TestList_Deadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(nil)
		r.Environment = func(name string) (string, bool) { return "eu-west-1", !strings.HasPrefix(name, "AWS_ENDPOINT") }
		r.Transport = roundTripper(func(q *http.Request) *http.Response {
			if at := q.URL.Host + q.URL.EscapedPath(); at != "exports.s3.eu-west-1.amazonaws.com/" {
				t.Errorf("a request to %s", at)
			}
			return &http.Response{StatusCode: 200, Body: &silentBody{q.Context(), 5}, ContentLength: -1}
		})
		p := prefix(t, "s3://exports/")
		started := time.Now()
		err := r.List(t.Context(), p, func(string) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "took longer than 5m0s") || time.Since(started) != listTimeout {
			t.Errorf("after %v: error %v", time.Since(started), err)
		}

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.List(ctx, p, func(string) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
	})
}

func TestParsePrefix(t *testing.T) {
	for _, text := range []string{
		"s3://exports", "s3://", "s3:///a", "s3://UP/a/", "https://exports/a/", "exports/", "s3://a*/b",
	} {
		if p, err := ParsePrefix(text); err == nil {
			t.Errorf("ParsePrefix(%q) = %v", text, p)
		}
	}
	if p, err := ParsePrefix("S3://exports/a b/ü"); err != nil || p.String() != "s3://exports/a b/ü" {
		t.Errorf("%v, %v", p, err)
	}
}

func FuzzParsePage(f *testing.F) {
	const encoded = "<ListBucketResult><EncodingType>url</EncodingType>"
	f.Add([]byte(encoded + "<Contents><Key>a+%2B</Key></Contents></ListBucketResult>"))
	f.Add([]byte("<ListBucketResult><Contents><Key>&amp;</Key></Contents><IsTruncated>1</IsTruncated></ListBucketResult>"))
	f.Add([]byte("<Error><Code>AccessDenied</Code></Error>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		objects, err := parsePage(body)
		if (objects == nil) != (err != nil) {
			t.Errorf("%v, %v", objects, err)
		}
	})
}
