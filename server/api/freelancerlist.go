package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/freelancers"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/validate"
)

const (
	maxPage     = 100 // freelancers on a page of the list
	defaultPage = 50
)

// FreelancerListAnswer is the response of GET /freelancers.
type FreelancerListAnswer struct {
	Status     string             `json:"status"` // success
	Data       []StoredFreelancer `json:"data"`
	NextCursor NullableString     `json:"next_cursor"` // null on the last page
	Damaged    int                `json:"damaged"`     // freelancers left out because their stored records are damaged
	RequestID  string             `json:"request_id"`
	TookMS     float64            `json:"took_ms"`
}

// A cursor is where a page of the list begins. Clients receive it as an opaque text.
type cursor struct {
	After   string `json:"a"` // ID
	Filters string `json:"f"` // hash of the filters, which must be the same for all pages
}

func (c cursor) encode() string {
	text, _ := json.Marshal(c) // texts are always valid
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseCursor returns the cursor in a text. If the text is no cursor of a response to the same filters, the error is
// added to f.
func parseCursor(faults *validate.Faults, text, filters string) (c cursor) {
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(decoded, &c)
	}
	if err != nil || c.After == "" || c.Filters != filters {
		faults.Add("cursor", "invalid_value", "cursor must be the next_cursor of a response to a request with the same filters; "+
			"omit it to begin.")
	}
	return c
}

// listFreelancers responds with a page of complete records. Each counts as seen.
func (s *Server) listFreelancers(c *gin.Context) error {
	var faults validate.Faults
	q := readListQuery(c.Request.URL.RawQuery, &faults, "cursor")
	limit := defaultPage

	if text, ok := q.plain["limit"]; ok {
		limit = int(validate.WholeNumber(&faults, "limit", text, 1, maxPage))
	}
	var at cursor

	if text, ok := q.plain["cursor"]; ok {
		at = parseCursor(&faults, text, q.hash)
	}

	if err := faults.Err(); err != nil {
		return err
	}
	page, err := s.deps.Freelancers.List(c.Request.Context(), &q.filters, at.After, limit)
	if err != nil {
		return err
	}

	answer := FreelancerListAnswer{
		Status: "success", Data: make([]StoredFreelancer, len(page.Freelancers)), Damaged: page.Damaged,
		RequestID: requestID(c),
	}

	ids := make([]string, len(page.Freelancers))
	for i, stored := range page.Freelancers {
		ids[i], answer.Data[i] = stored.Freelancer.ID, StoredFreelancer(stored)
	}

	if err := s.show(c, ids...); err != nil {
		return err
	}

	if page.Next != "" {
		answer.NextCursor = NullableString(cursor{After: page.Next, Filters: q.hash}.encode())
	}
	answer.TookMS = tookMS(c)

	return writeJSON(c, http.StatusOK, jsonType, answer)
}

// similar responds with matches for a brief that says what the freelancer's record says. The freelancer counts as seen,
// too, because explanations quote the record.
func (s *Server) similar(c *gin.Context) error {
	id, err := idOf(c)
	if err != nil {
		return err
	}
	var faults validate.Faults
	q := readListQuery(c.Request.URL.RawQuery, &faults, "offset", "explain")
	request := MatchRequest{Explain: validate.Boolean(&faults, "explain", q.plain)}
	for name, into := range map[string]**int{"limit": &request.Limit, "offset": &request.Offset} {
		if text, ok := q.plain[name]; ok {
			n := int(validate.WholeNumber(&faults, name, text, 0, 1<<20))
			*into = &n
		}
	}

	plan, _ := apikey.PlanNamed(keyOf(c).Plan)
	request.checkPage(plan, &faults)
	if err := faults.Err(); err != nil {
		return err
	}

	ctx := c.Request.Context()
	found, err := s.deps.Freelancers.Get(ctx, id)
	if err != nil {
		return err
	}

	brief := freelancers.Like(&found.Freelancer)
	excluded := brief.Filters.ExcludeIDs
	brief.Filters = q.filters
	brief.Filters.ExcludeIDs = append(excluded, brief.Filters.ExcludeIDs...)
	brief.Limit, brief.Offset, brief.Explain = valueOr(request.Limit, defaultLimit), valueOr(request.Offset, 0),
		request.Explain
	answer, err := s.deps.Matcher.Match(ctx, brief)
	if err != nil {
		return err
	}
	if err := s.show(c, append(idsOf(answer.Matches), id)...); err != nil {
		return err
	}

	return writeJSON(c, http.StatusOK, jsonType, wireAnswer(exchangeOf(c), brief, answer))
}

// A listQuery is the query of a request for freelancers: filters and other parameters.
type listQuery struct {
	filters matching.Filters
	hash    string            // of the filters
	plain   map[string]string // the other parameters
}

// readListQuery parses a query. The filters are the same as in a match, as parameters of the same names; a list is a
// parameter that appears several times. limit and the named parameters are not filters.
func readListQuery(raw string, faults *validate.Faults, names ...string) listQuery {
	q := listQuery{plain: map[string]string{}}
	values, err := url.ParseQuery(raw)
	if err != nil {
		faults.Add("query", "malformed", "The query string is malformed; send name=value pairs separated by &.")
		return q
	}

	names = append(names, "limit")
	kinds := filterKinds()
	members := map[string]any{}
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list := values[name]
		kind, isFilter := kinds[name]
		switch {
		case !isFilter && !slices.Contains(names, name):
			faults.AddUnknown("", name, append(slices.Sorted(maps.Keys(kinds)), names...))
		case len(list) > 1 && !kind.isList():
			faults.Add(name, "duplicate_field", "%s appears more than once; send it once.", name)
		case !isFilter:
			q.plain[name] = list[0]
		default:
			_, _ = hash.Write([]byte(name + "\x00" + strings.Join(list, "\x00") + "\x01"))
			if value, ok := filterValue(faults, name, kind, list); ok {
				members[name] = value
			}
		}
	}

	q.hash = hex.EncodeToString(hash.Sum(nil)[:8])
	q.filters = bindFilters(members, faults)
	return q
}
