package records

import (
	"context"
	"net/http"

	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// List handles GET /freelancers. It responds with a page of complete records. Each counts as seen.
func (h *Handlers) List(ctx context.Context, call *endpoint.Call) error {
	var faults validate.Faults
	q := wire.ReadListQuery(call.Request.URL.RawQuery, &faults, "cursor", wire.ParameterUnknown)
	form := wire.ReadUnknown(q.Others, &faults)

	limit := wire.PageSize(q.Others, &faults)

	// A cursor is valid with the filters of its list only: with others, freelancers would be left out silently.
	at := wire.PageStart(q.Others, q.FiltersHash, &faults)

	if err := faults.Err(); err != nil {
		return err
	}

	page, err := h.Service.List(ctx, &q.Filters, at.After, limit)
	if err != nil {
		return err
	}

	answer := wire.FreelancerListAnswer{
		Status: "success", Data: make([]wire.StoredFreelancer, len(page.Freelancers)), Damaged: page.Damaged,
		RequestID: call.ID,
	}

	ids := make([]string, len(page.Freelancers))
	for i, stored := range page.Freelancers {
		ids[i] = stored.Freelancer.ID
		answer.Data[i] = wire.NewStoredFreelancer(stored, form)
	}

	if err := h.Views.Show(ctx, call, ids...); err != nil {
		return err
	}

	if page.Next != "" {
		next := wire.Cursor{After: page.Next, Filters: q.FiltersHash}.Encode()
		answer.NextCursor = wire.NullableString(next)
		call.LinkNext("cursor", next)
	}
	answer.TookMS = call.TookMS()

	return call.WriteJSON(http.StatusOK, endpoint.JSONType, answer)
}
