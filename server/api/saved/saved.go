// Package saved handles the operations on saved briefs.
package saved

import (
	"context"
	"net/http"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// Briefs manages the saved briefs of accounts; see briefs.Service.
type Briefs interface {
	Create(
		ctx context.Context, by audit.By, account, origin string, n briefs.Settings, limit int,
	) (briefs.Brief, error)
	List(ctx context.Context, account, after string, limit int) ([]briefs.Brief, error)
	Open(ctx context.Context, account string, limit int) ([]briefs.Brief, error)
	Get(ctx context.Context, account, id string) (briefs.Brief, error)
	Watched(ctx context.Context, account, id string) (briefs.Brief, error)
	Change(
		ctx context.Context, by audit.By, account, id string, choose func(*briefs.Settings) error,
	) (briefs.Brief, error)
	Delete(ctx context.Context, by audit.By, account, id string) error
}

// Handlers handles the operations on saved briefs.
type Handlers struct {
	Briefs Briefs
	Ranker *briefs.Ranker
	Views  *limits.Views
}

// decode decodes a request to create or to change a brief.
func decode(call *endpoint.Call) (*wire.SavedBriefRequest, error) {
	var faults validate.Faults
	var request wire.SavedBriefRequest
	if err := call.Decode(&request, &faults); err != nil {
		return nil, err
	}
	request.Check(call.Caller.Plan, &faults)
	return &request, faults.Err()
}

// write responds with a brief.
func write(call *endpoint.Call, status int, b *briefs.Brief) error {
	data, err := wire.NewSavedBrief(b)
	if err != nil {
		return err
	}
	return call.WriteJSON(status, endpoint.JSONType, endpoint.NewAnswer(call, data))
}

// Create handles POST /briefs.
func (h *Handlers) Create(ctx context.Context, call *endpoint.Call) error {
	request, err := decode(call)
	if err != nil {
		return err
	}
	if request.Match == nil {
		var faults validate.Faults
		faults.Add("match", "required", "match must be the body of a match.")
		return faults.Err()
	}

	n := briefs.Settings{Top: briefs.DefaultTop}
	if err := request.Apply(&n); err != nil {
		return err
	}
	b, err := h.Briefs.Create(ctx, call.RequestedBy(), call.Caller.Account, "", n, call.Caller.Plan.Briefs)
	if err != nil {
		return err
	}
	return write(call, http.StatusCreated, &b)
}

// List handles GET /briefs.
func (h *Handlers) List(ctx context.Context, call *endpoint.Call) error {
	var faults validate.Faults
	query := call.Query(&faults, "limit", "cursor")
	limit := wire.PageSize(query, &faults)
	at := wire.PageStart(query, "", &faults)
	if err := faults.Err(); err != nil {
		return err
	}

	list, err := h.Briefs.List(ctx, call.Caller.Account, at.After, limit+1)
	if err != nil {
		return err
	}
	answer := wire.SavedBriefListAnswer{Status: "success", Data: []wire.SavedBrief{}, RequestID: call.ID}
	if len(list) > limit {
		list = list[:limit]
		next := wire.Cursor{After: list[limit-1].ID}.Encode()
		answer.NextCursor = wire.NullableString(next)
		call.LinkNext("cursor", next)
	}
	for i := range list {
		b, err := wire.NewSavedBrief(&list[i])
		if err != nil {
			return err
		}
		answer.Data = append(answer.Data, b)
	}
	answer.TookMS = call.TookMS()
	return call.WriteJSON(http.StatusOK, endpoint.JSONType, answer)
}

// Get handles GET /briefs/{id}.
func (h *Handlers) Get(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	b, err := h.Briefs.Get(ctx, call.Caller.Account, id)
	if err != nil {
		return err
	}
	return write(call, http.StatusOK, &b)
}

// Change handles PATCH /briefs/{id}.
func (h *Handlers) Change(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	request, err := decode(call)
	if err != nil {
		return err
	}
	b, err := h.Briefs.Change(ctx, call.RequestedBy(), call.Caller.Account, id, request.Apply)
	if err != nil {
		return err
	}
	return write(call, http.StatusOK, &b)
}

// Delete handles DELETE /briefs/{id}.
func (h *Handlers) Delete(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	if err := h.Briefs.Delete(ctx, call.RequestedBy(), call.Caller.Account, id); err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.DeletedBrief{ID: id})
}

// People handles GET /briefs/{id}/people. Everybody on the list counts as seen.
func (h *Handlers) People(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	b, err := h.Briefs.Watched(ctx, call.Caller.Account, id)
	if err != nil {
		return err
	}

	ids := make([]string, len(b.People))
	for i, p := range b.People {
		ids[i] = p.ID
	}
	if err := h.Views.Show(ctx, call, ids...); err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.NewSavedBriefPeople(&b))
}

// ForPerson handles POST /freelancers/{id}/briefs. The freelancer counts as seen.
func (h *Handlers) ForPerson(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	var faults validate.Faults
	var request wire.PersonBriefsRequest
	if err := call.Decode(&request, &faults); err != nil {
		return err
	}
	wishes := request.Wishes(&faults)
	if err := faults.Err(); err != nil {
		return err
	}

	open, err := h.Briefs.Open(ctx, call.Caller.Account, briefs.MaxRanked+1)
	if err != nil {
		return err
	}
	answer, err := h.Ranker.Rank(ctx, open, id, wishes)
	if err != nil {
		return err
	}
	if err := h.Views.Show(ctx, call, id); err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, answer)
}
