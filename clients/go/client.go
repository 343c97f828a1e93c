// Package matching is a client of the freelancer matching service. The README shows a first match.
package matching

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
)

// A Client sends requests to the service. Use one for all requests of a program: it remembers which host works, and
// connections are used again. It is safe for concurrent use. In responses and records, unknown text is empty, and
// unknown numbers and booleans are nil.
//
// Requests that do no harm when they are repeated are sent again after a failed connection, 502, 503 and 504, and all
// requests but streams after 429, after the time in Retry-After.
type Client struct {
	Briefs      *Briefs
	Changes     *ChangeFeed
	Freelancers *Freelancers
	Interviews  *Interviews
	Loads       *Loads
	Resumes     *Resumes
	Webhooks    *Webhooks

	transport *transport
}

// NewClient returns a client. Without an API key, its calls fail.
func NewClient(o Options) *Client {
	t := newTransport(o)
	return &Client{
		Briefs: &Briefs{t}, Changes: &ChangeFeed{t}, Freelancers: &Freelancers{t}, Interviews: &Interviews{t},
		Loads: &Loads{t}, Resumes: &Resumes{t}, Webhooks: &Webhooks{t}, transport: t,
	}
}

// RateLimit returns the requests that remain according to the last response, and false if none has named a limit.
func (c *Client) RateLimit() (RateLimit, bool) {
	last := c.transport.rateLimit.Load()
	if last == nil {
		return RateLimit{}, false
	}
	return *last, true
}

// Known returns a pointer to a value, for what nil would leave unknown or unchanged: Known(65.0).
func Known[T any](value T) *T { return &value }

// answer is a response with data.
type answer[T any] struct {
	Data       T      `json:"data"`
	NextCursor string `json:"next_cursor"` // empty on the last page of a list
}

// call sends a request and returns the data of its response.
func call[T any](ctx context.Context, t *transport, r request, options ...Option) (T, error) {
	for _, apply := range options {
		apply(&r)
	}

	var result answer[T]
	err := t.do(ctx, r, &result)
	return result.Data, err
}

// get returns a request that reads.
func get(path string, query url.Values) request {
	return request{method: http.MethodGet, path: path, query: query, repeatable: true}
}

// post returns a request with a body of JSON, which does no harm when it is repeated.
func post(path string, body any) (request, error) { return withJSON(http.MethodPost, path, body) }

// withJSON returns a request with a body of JSON.
func withJSON(method, path string, body any) (request, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return request{}, err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	return request{method: method, path: path, header: header, body: encoded, repeatable: true}, nil
}

// pathOf returns the path of a resource. An ID that would lead to another path is refused.
func pathOf(collection, id string) (string, error) {
	escaped, err := segment(id)
	if err != nil {
		return "", err
	}
	return "/api/v1/" + collection + "/" + escaped, nil
}

// segment returns an ID as a part of a path. An ID that would lead to another path is refused.
func segment(id string) (string, error) {
	if id == "" || id == "." || id == ".." {
		return "", fmt.Errorf("matching: %q can't be an ID in an address", id)
	}
	return url.PathEscape(id), nil
}

// unknownAsNull asks for null in place of zeros for unknown values.
func unknownAsNull() url.Values { return url.Values{"unknown": {"null"}} }

// Match returns the best freelancers for a brief, one page of them.
func (c *Client) Match(ctx context.Context, brief MatchRequest) (*MatchAnswer, error) {
	r, err := post("/api/v1/match", brief)
	if err != nil {
		return nil, err
	}
	r.query = unknownAsNull()
	return c.match(ctx, r)
}

// match sends a request whose response has matches.
func (c *Client) match(ctx context.Context, r request) (*MatchAnswer, error) {
	var result MatchAnswer
	if err := c.transport.do(ctx, r, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// Matches iterates over the matches of all pages that the plan allows, best first. The limit of the brief is the size
// of a page. An error comes last.
func (c *Client) Matches(ctx context.Context, brief MatchRequest) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		for {
			page, err := c.Match(ctx, brief)
			if err != nil {
				yield(Match{}, err)
				return
			}

			for _, found := range page.Matches {
				if !yield(found, nil) {
					return
				}
			}
			if page.NextOffset == nil {
				return
			}
			brief.Offset = *page.NextOffset
		}
	}
}

// A BriefResult is the result of one brief of a batch: an answer, or an error.
type BriefResult struct {
	Answer *MatchAnswer
	Err    *Error
}

// UnmarshalJSON reads an answer or a failure, according to its status.
func (r *BriefResult) UnmarshalJSON(data []byte) error {
	var kind struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return err
	}

	if kind.Status == "error" {
		r.Err = newStreamError(data)
		return nil
	}
	return json.Unmarshal(data, &r.Answer)
}

// MatchBatch matches up to 100 briefs and returns a result for each. A brief that fails doesn't fail the others.
func (c *Client) MatchBatch(ctx context.Context, briefs []MatchRequest) ([]BriefResult, error) {
	r, err := post("/api/v1/match/batch", MatchBatchRequest{Briefs: briefs})
	if err != nil {
		return nil, err
	}
	r.query = unknownAsNull()
	batch, err := call[MatchBatch](ctx, c.transport, r)
	return batch.Results, err
}

// MatchDocument matches a brief in a document, such as a PDF. The other brief has what the document doesn't say, such
// as filters.
func (c *Client) MatchDocument(ctx context.Context, file io.Reader, brief MatchRequest) (*MatchAnswer, error) {
	r, err := upload("/api/v1/match/document", file, brief)
	if err != nil {
		return nil, err
	}
	r.query = unknownAsNull()
	return c.match(ctx, r)
}

// Explain returns where a freelancer ranks for a brief, and why.
func (c *Client) Explain(ctx context.Context, e ExplainRequest) (Standing, error) {
	r, err := post("/api/v1/match/explain", e)
	if err != nil {
		return Standing{}, err
	}
	r.query = unknownAsNull()
	return call[Standing](ctx, c.transport, r)
}

// Teams returns teams of freelancers for a brief with one budget, and says who brings what and what is missing.
func (c *Client) Teams(ctx context.Context, t TeamsRequest) (Teams, error) {
	r, err := post("/api/v1/teams", t)
	if err != nil {
		return Teams{}, err
	}
	r.query = unknownAsNull()
	return call[Teams](ctx, c.transport, r)
}

// A SimilarQuery selects similar freelancers. The zero value of a field leaves it out.
type SimilarQuery struct {
	Filters       MatchFilters // all but MaxCost
	Limit, Offset int64
	Explain       bool
}

// Similar returns the freelancers who are most like another one.
func (c *Client) Similar(ctx context.Context, id string, q SimilarQuery) (*MatchAnswer, error) {
	path, err := pathOf("freelancers", id)
	if err != nil {
		return nil, err
	}

	query := filterQuery(q.Filters)
	setNumber(query, "limit", q.Limit)
	setNumber(query, "offset", q.Offset)
	if q.Explain {
		query.Set("explain", "true")
	}
	query.Set("unknown", "null")
	return c.match(ctx, get(path+"/similar", query))
}

// VerifySkill resolves a word to a skill or a job title, with spelling suggestions.
func (c *Client) VerifySkill(ctx context.Context, keyword string) (Verification, error) {
	r, err := post("/api/v1/verify-skill", VerifySkillRequest{Keyword: keyword})
	if err != nil {
		return Verification{}, err
	}
	return call[Verification](ctx, c.transport, r)
}

// RecordEvents reports what became of matched freelancers, such as that one was hired. The service recognizes events
// that it has stored already.
func (c *Client) RecordEvents(ctx context.Context, events ...Event) (RecordedEvents, error) {
	r, err := post("/api/v1/events", EventsRequest{Events: events})
	if err != nil {
		return RecordedEvents{}, err
	}
	return call[RecordedEvents](ctx, c.transport, r)
}

// A TestDataQuery says what to generate. The zero value of a field leaves it out.
type TestDataQuery struct {
	Freelancers int64
	Seed        int64
	Details     bool
}

// GenerateTestData returns invented freelancers.
func (c *Client) GenerateTestData(ctx context.Context, q TestDataQuery) ([]TestRecord, error) {
	query := url.Values{}
	setNumber(query, "num_freelancers", q.Freelancers)
	setNumber(query, "seed", q.Seed)
	if q.Details {
		query.Set("details", "true")
	}
	return call[[]TestRecord](ctx, c.transport, get("/api/v1/generate-test-data", query))
}

// Me returns the plan, the permissions and the remaining limits of the key. It doesn't count as a request.
func (c *Client) Me(ctx context.Context) (Me, error) {
	return call[Me](ctx, c.transport, get("/api/v1/me", nil))
}

// CreateBrowserToken returns a token with which pages of some origins may match, and do nothing else. Hand it to the
// page; the API key stays secret.
func (c *Client) CreateBrowserToken(ctx context.Context, token BrowserTokenRequest) (BrowserToken, error) {
	r, err := post("/api/v1/browser-tokens", token)
	if err != nil {
		return BrowserToken{}, err
	}
	return call[BrowserToken](ctx, c.transport, r)
}

// Health returns the state of each component. It doesn't count as a request. An unhealthy service is no error: its
// Status is "unhealthy" or "error".
func (c *Client) Health(ctx context.Context) (*HealthAnswer, error) {
	r := get("/api/v1/health", nil)
	r.accepts = http.StatusServiceUnavailable
	var result HealthAnswer
	if err := c.transport.do(ctx, r, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// setNumber adds a parameter unless it is 0.
func setNumber(query url.Values, name string, value int64) {
	if value != 0 {
		query.Set(name, strconv.FormatInt(value, 10))
	}
}
