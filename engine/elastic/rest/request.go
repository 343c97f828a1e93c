package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A Request is one call of Elasticsearch's REST API. The official client has a function for each, which take longer to
// compile than this whole module (docs/adr/0039-cold-start.md).
type Request struct {
	Method string
	Path   string // without the leading slash, such as "freelancers-v1/_search"; used as it is, so escaped if need be
	Query  Params
	Body   io.Reader // JSON, or lines of JSON; nil for none; a *bytes.Reader can be sent again to another node
}

// Params are the query parameters of a request.
type Params map[string]string

// http returns r as an HTTP request, whose host the transport adds.
func (r *Request) http(ctx context.Context) (*http.Request, error) {
	h, err := http.NewRequestWithContext(ctx, r.Method, "http:///"+r.Path, r.Body)
	if err != nil {
		return nil, err
	}
	query := url.Values{}
	for name, value := range r.Query {
		query.Set(name, value)
	}
	h.URL.RawQuery = query.Encode()
	if r.Body != nil {
		h.Header.Set("Content-Type", "application/json")
	}
	return h, nil
}

// Body returns the JSON of a value as the body of a request.
func Body(v any) (*bytes.Reader, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return bytes.NewReader(b), nil
}

// Milliseconds returns d as Elasticsearch wants durations.
func Milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + "ms" }
