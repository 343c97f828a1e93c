// Package feeds handles the operations by which clients learn of changes: the list and the stream of changes, and the
// webhook endpoints of accounts.
package feeds

import (
	"context"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/webhook"
)

// Endpoints manages the webhook endpoints of accounts; see feed.Endpoints.
type Endpoints interface {
	Create(ctx context.Context, by audit.By, account string, n feed.Settings) (feed.Endpoint, webhook.Secret, error)
	List(ctx context.Context, account string) ([]feed.Endpoint, error)
	Get(ctx context.Context, account, id string) (feed.Endpoint, error)
	Change(
		ctx context.Context, by audit.By, account, id string, choose func(*feed.Settings) error,
	) (feed.Endpoint, error)
	Rotate(ctx context.Context, by audit.By, account, id string) (feed.Endpoint, webhook.Secret, error)
	Delete(ctx context.Context, by audit.By, account, id string) error
	Test(ctx context.Context, account, id string, event feed.Event) (message string, err error)
	Deliveries(
		ctx context.Context, account, id string, after feed.Place, limit int,
	) (feed.Endpoint, []feed.Delivery, error)
	Retry(ctx context.Context, account, id, message string) error
}

// Webhooks handles the operations on webhook endpoints.
type Webhooks struct{ Endpoints Endpoints }

// Create handles POST /webhooks.
func (h *Webhooks) Create(ctx context.Context, call *endpoint.Call) error {
	var faults validate.Faults
	var request wire.EndpointRequest
	if err := call.Decode(&request, &faults); err != nil {
		return err
	}
	if err := faults.Err(); err != nil {
		return err
	}

	var n feed.Settings
	request.Apply(&n)
	e, secret, err := h.Endpoints.Create(ctx, call.RequestedBy(), call.Caller.Account, n)
	if err != nil {
		return err
	}
	return writeSecret(call, http.StatusCreated, &e, secret)
}

// writeSecret responds with an endpoint and its secret.
func writeSecret(call *endpoint.Call, status int, e *feed.Endpoint, secret webhook.Secret) error {
	data := wire.SecretWebhook{Webhook: wire.NewWebhook(e), Secret: secret.Text()}
	if !e.PreviousUntil.IsZero() {
		data.PreviousSecretUntil = &e.PreviousUntil
	}
	call.SetHeader("Cache-Control", "no-store")
	return call.WriteJSON(status, endpoint.JSONType, endpoint.NewAnswer(call, data))
}

// List handles GET /webhooks. An account has too few endpoints for pages.
func (h *Webhooks) List(ctx context.Context, call *endpoint.Call) error {
	endpoints, err := h.Endpoints.List(ctx, call.Caller.Account)
	if err != nil {
		return err
	}
	data := make([]wire.Webhook, len(endpoints))
	for i := range endpoints {
		data[i] = wire.NewWebhook(&endpoints[i])
	}
	return endpoint.WriteAnswer(call, data)
}

// Get handles GET /webhooks/{id}.
func (h *Webhooks) Get(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	e, err := h.Endpoints.Get(ctx, call.Caller.Account, id)
	if err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.NewWebhook(&e))
}

// Change handles PATCH /webhooks/{id}.
func (h *Webhooks) Change(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	var faults validate.Faults
	var request wire.EndpointRequest
	if err := call.Decode(&request, &faults); err != nil {
		return err
	}
	if err := faults.Err(); err != nil {
		return err
	}

	e, err := h.Endpoints.Change(ctx, call.RequestedBy(), call.Caller.Account, id, func(n *feed.Settings) error {
		request.Apply(n)
		return nil
	})
	if err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.NewWebhook(&e))
}

// Rotate handles POST /webhooks/{id}/rotate.
func (h *Webhooks) Rotate(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	e, secret, err := h.Endpoints.Rotate(ctx, call.RequestedBy(), call.Caller.Account, id)
	if err != nil {
		return err
	}
	return writeSecret(call, http.StatusOK, &e, secret)
}

// Delete handles DELETE /webhooks/{id}.
func (h *Webhooks) Delete(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	if err := h.Endpoints.Delete(ctx, call.RequestedBy(), call.Caller.Account, id); err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.DeletedWebhook{ID: id})
}

// Test handles POST /webhooks/{id}/test.
func (h *Webhooks) Test(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	var faults validate.Faults
	var request wire.WebhookTestRequest
	if err := call.Decode(&request, &faults); err != nil {
		return err
	}
	if err := faults.Err(); err != nil {
		return err
	}

	message, err := h.Endpoints.Test(ctx, call.Caller.Account, id, feed.Event(request.Event))
	if err != nil {
		return err
	}
	return call.WriteJSON(http.StatusAccepted, endpoint.JSONType,
		endpoint.NewAnswer(call, wire.QueuedDelivery{ID: message}))
}

// Deliveries handles GET /webhooks/{id}/deliveries.
func (h *Webhooks) Deliveries(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	var faults validate.Faults
	query := call.Query(&faults, "limit", "cursor")
	limit := wire.PageSize(query, &faults)
	var after feed.Place
	if text, ok := query["cursor"]; ok {
		after = parsePlace(&faults, text)
	}
	if err := faults.Err(); err != nil {
		return err
	}

	_, list, err := h.Endpoints.Deliveries(ctx, call.Caller.Account, id, after, limit+1)
	if err != nil {
		return err
	}
	answer := wire.DeliveryListAnswer{Status: "success", Data: []wire.Delivery{}, RequestID: call.ID}
	if len(list) > limit {
		list = list[:limit]
		next := placeText(list[limit-1].Created, list[limit-1].ID)
		answer.NextCursor = wire.NullableString(next)
		call.LinkNext("cursor", next)
	}
	for i := range list {
		answer.Data = append(answer.Data, wire.NewDelivery(&list[i]))
	}
	answer.TookMS = call.TookMS()
	return call.WriteJSON(http.StatusOK, endpoint.JSONType, answer)
}

// placeText returns a place in the list of deliveries as a cursor.
func placeText(created time.Time, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(created.UnixMicro(), 10) + " " + id))
}

// parsePlace returns the place of a cursor.
func parsePlace(faults *validate.Faults, text string) feed.Place {
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	created, id, _ := strings.Cut(string(decoded), " ")
	micros, notNumber := strconv.ParseInt(created, 10, 64)
	if err != nil || notNumber != nil || id == "" {
		faults.Add("cursor", "invalid_value", "cursor must be the next_cursor of a response; omit it to begin.")
		return feed.Place{}
	}
	return feed.Place{Created: time.UnixMicro(micros), ID: id}
}

// Retry handles POST /webhooks/{id}/deliveries/{delivery}/retry.
func (h *Webhooks) Retry(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	message := call.Params.ByName("delivery")
	if err := h.Endpoints.Retry(ctx, call.Caller.Account, id, message); err != nil {
		return err
	}
	return call.WriteJSON(http.StatusAccepted, endpoint.JSONType,
		endpoint.NewAnswer(call, wire.QueuedDelivery{ID: message}))
}
