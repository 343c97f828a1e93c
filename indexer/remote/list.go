package remote

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	maxPages    = 200     // of up to 1,000 objects
	maxPage     = 8 << 20 // bytes; a page with 1,000 of the longest keys, escaped, has fewer than 4 MiB
	listTimeout = 5 * time.Minute
)

// Prefix is the beginning of the URLs of objects in a bucket on S3.
type Prefix struct {
	bucket *Address // without a key
	start  string   // of the keys; empty for all
}

// ParsePrefix parses the beginning of s3:// URLs, at least s3://BUCKET/. The error quotes no part of the text.
func ParsePrefix(text string) (*Prefix, error) {
	scheme, rest, _ := strings.Cut(text, "://")
	bucket, start, hasSlash := strings.Cut(rest, "/")
	if !strings.EqualFold(scheme, "s3") || !bucketName.MatchString(bucket) || !hasSlash {
		return nil, errObjectURL
	}
	at := &url.URL{Scheme: "s3", Host: bucket, Path: "/"}
	return &Prefix{bucket: &Address{url: at, bucket: bucket}, start: start}, nil
}

// String returns the prefix as a URL.
func (p *Prefix) String() string { return p.bucket.String() + p.start }

// A page is a response of ListObjectsV2.
type page struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	EncodingType          string
	IsTruncated           bool
	NextContinuationToken string
	Contents              []struct{ Key string }
}

// List calls visit with the URL of each object that begins with a prefix, in the order of the server, until visit
// returns an error, which it returns. It retries failures that may pass. The URLs may include those of markers, such as
// s3://BUCKET/FOLDER/, which ParseAddress rejects.
func (c *Client) List(ctx context.Context, p *Prefix, visit func(url string) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, listTimeout, errListing)
	defer cancel()
	client, done := c.open(p.bucket)
	defer done()

	token := ""
	for range maxPages {
		var objects *page
		err := c.retry(ctx, p, func() (err error) {
			objects, err = c.listPage(ctx, client, p, token)
			return err
		})
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause // says more than the failure that it leads to
		}
		if err != nil {
			return &downloadError{p.String(), err}
		}

		for _, object := range objects.Contents {
			if err := visit(p.bucket.String() + object.Key); err != nil {
				return err
			}
		}

		// A server that repeats a page would be asked forever.
		last := token
		token = objects.NextContinuationToken
		switch {
		case !objects.IsTruncated:
			return nil
		case token == "" || token == last:
			return &downloadError{p.String(), errors.New("the server did not say where the next page of objects begins")}
		}
	}

	return &downloadError{p.String(), fmt.Errorf("more than %d pages of objects; name a folder with fewer", maxPages)}
}

var errListing = fmt.Errorf("listing the objects took longer than %v; name a folder with fewer", listTimeout)

// listPage returns the page of objects that a token names, the first if it is empty.
func (c *Client) listPage(ctx context.Context, client *http.Client, p *Prefix, token string) (*page, error) {
	query := url.Values{"list-type": {"2"}, "prefix": {p.start}}
	query.Set("encoding-type", "url") // XML can't hold all characters of keys
	if token != "" {
		query.Set("continuation-token", token)
	}
	request, err := c.requestS3(ctx, p.bucket, query)
	if err != nil {
		return nil, err
	}

	response, err := client.Do(request)
	if err != nil {
		return nil, connectionError(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, statusError(response, p.bucket, true)
	}

	body, err := io.ReadAll(io.LimitReader(response.Body, maxPage+1))
	if err != nil {
		return nil, &transientError{error: fmt.Errorf("the list of objects was interrupted: %w", err)}
	}
	if len(body) > maxPage {
		return nil, errors.New("the server sent a page of objects that is too large")
	}
	return parsePage(body)
}

// parsePage parses a response of ListObjectsV2.
func parsePage(body []byte) (*page, error) {
	var objects page
	if err := xml.Unmarshal(body, &objects); err != nil {
		return nil, fmt.Errorf("the server did not send a list of objects: %w", err)
	}

	// Not every server knows the parameter encoding-type.
	if objects.EncodingType != "url" {
		return &objects, nil
	}
	for i := range objects.Contents {
		object := &objects.Contents[i]
		key, err := url.QueryUnescape(object.Key)
		if err != nil {
			return nil, errors.New("the server sent a list of objects with invalid names")
		}
		object.Key = key
	}

	return &objects, nil
}
