package api

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/freelancers"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// listFreelancers responds with a page of complete records. Each counts as seen.
func (s *Server) listFreelancers(c *gin.Context) error {
	var faults validate.Faults
	q := wire.ReadListQuery(c.Request.URL.RawQuery, &faults, "cursor")
	limit := wire.DefaultPage

	if text, ok := q.Others["limit"]; ok {
		limit = int(validate.WholeNumber(&faults, "limit", text, 1, wire.MaxPage))
	}
	var at wire.Cursor

	if text, ok := q.Others["cursor"]; ok {
		at = wire.ParseCursor(&faults, text, q.FiltersHash)
	}

	if err := faults.Err(); err != nil {
		return err
	}
	page, err := s.deps.Freelancers.List(c.Request.Context(), &q.Filters, at.After, limit)
	if err != nil {
		return err
	}

	answer := wire.FreelancerListAnswer{
		Status: "success", Data: make([]wire.StoredFreelancer, len(page.Freelancers)), Damaged: page.Damaged,
		RequestID: requestID(c),
	}

	ids := make([]string, len(page.Freelancers))
	for i, stored := range page.Freelancers {
		ids[i], answer.Data[i] = stored.Freelancer.ID, wire.StoredFreelancer(stored)
	}

	if err := s.show(c, ids...); err != nil {
		return err
	}

	if page.Next != "" {
		answer.NextCursor = wire.NullableString(wire.Cursor{After: page.Next, Filters: q.FiltersHash}.Encode())
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
	q := wire.ReadListQuery(c.Request.URL.RawQuery, &faults, "offset", "explain")
	request := wire.MatchRequest{Explain: validate.Boolean(&faults, "explain", q.Others)}
	for name, into := range map[string]**int{"limit": &request.Limit, "offset": &request.Offset} {
		if text, ok := q.Others[name]; ok {
			n := int(validate.WholeNumber(&faults, name, text, 0, 1<<20))
			*into = &n
		}
	}

	plan, _ := apikey.PlanNamed(keyOf(c).Plan)
	request.CheckPage(plan, &faults)
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
	brief.Filters = q.Filters
	brief.Filters.ExcludeIDs = append(excluded, brief.Filters.ExcludeIDs...)
	brief.Limit = request.PageLimit()
	brief.Offset = request.PageOffset()
	brief.Explain = request.Explain
	answer, err := s.deps.Matcher.Match(ctx, brief)
	if err != nil {
		return err
	}
	if err := s.show(c, append(idsOf(answer.Matches), id)...); err != nil {
		return err
	}

	response := wire.NewMatchAnswer(brief, answer)
	response.RequestID = requestID(c)
	response.TookMS = tookMS(c)
	return writeJSON(c, http.StatusOK, jsonType, response)
}
