package matching

import (
	"context"
	"iter"
	"net/http"
	"net/url"
)

// Webhooks manages the endpoints of the account, which receive messages about events. The key needs the permission
// webhooks:write. WebhookVerifier verifies what an endpoint receives.
type Webhooks struct{ transport *transport }

// Create creates an endpoint. Store its secret, which no other response has. Messages to an endpoint without a URL are
// not sent; Deliveries returns them.
func (s *Webhooks) Create(ctx context.Context, e EndpointRequest) (WebhookWithSecret, error) {
	r, err := post("/api/v1/webhooks", e)
	if err != nil {
		return WebhookWithSecret{}, err
	}
	r.repeatable = false // a second request would create another endpoint
	return call[WebhookWithSecret](ctx, s.transport, r)
}

// List returns all endpoints of the account, the oldest first. There are few of them, so there are no pages.
func (s *Webhooks) List(ctx context.Context) ([]WebhookEndpoint, error) {
	return call[[]WebhookEndpoint](ctx, s.transport, get("/api/v1/webhooks", nil))
}

// Get returns an endpoint.
func (s *Webhooks) Get(ctx context.Context, id string) (WebhookEndpoint, error) {
	return aboutWebhook[WebhookEndpoint](ctx, s, id, request{method: http.MethodGet, repeatable: true})
}

// A WebhookChange says what to change about an endpoint. Fields that are nil stay as they are.
type WebhookChange struct {
	Name    *string  `json:"name,omitzero"`
	URL     *string  `json:"url,omitzero"` // "" for an endpoint whose messages are not sent
	Events  []string `json:"events,omitzero"`
	Enabled *bool    `json:"enabled,omitzero"`
}

// Change changes an endpoint: WebhookChange{Enabled: Known(false)} turns it off. Events are not kept for an endpoint
// that is off.
func (s *Webhooks) Change(ctx context.Context, id string, change WebhookChange) (WebhookEndpoint, error) {
	r, err := withJSON(http.MethodPatch, "", change)
	if err != nil {
		return WebhookEndpoint{}, err
	}
	return aboutWebhook[WebhookEndpoint](ctx, s, id, r)
}

// Delete deletes an endpoint with its deliveries.
func (s *Webhooks) Delete(ctx context.Context, id string) error {
	_, err := aboutWebhook[DeletedWebhook](ctx, s, id, request{method: http.MethodDelete, repeatable: true})
	return err
}

// Rotate gives an endpoint a new secret, and returns it. The service signs messages with both secrets for 24 hours.
func (s *Webhooks) Rotate(ctx context.Context, id string) (WebhookWithSecret, error) {
	// A second request would end the time of the present secret.
	return aboutWebhook[WebhookWithSecret](ctx, s, id, request{method: http.MethodPost, path: "/rotate"})
}

// Test sends a message with invented data, which is marked as a test, and returns the ID of its delivery. "" stands for
// the first event of the endpoint.
func (s *Webhooks) Test(ctx context.Context, id, event string) (string, error) {
	r, err := post("/test", WebhookTestRequest{Event: event})
	if err != nil {
		return "", err
	}
	r.repeatable = false // a second request would send another message
	queued, err := aboutWebhook[QueuedDelivery](ctx, s, id, r)
	return queued.ID, err
}

// Deliveries iterates over the messages to an endpoint, with their bodies and what became of them, the newest first.
// The service keeps them for 14 days. An error comes last.
func (s *Webhooks) Deliveries(ctx context.Context, id string) iter.Seq2[Delivery, error] {
	path, err := pathOf("webhooks", id)
	if err != nil {
		return func(yield func(Delivery, error) bool) { yield(Delivery{}, err) }
	}
	return pages[Delivery](ctx, s.transport, path+"/deliveries", url.Values{"limit": {"100"}})
}

// Retry sends a message again, also one that was delivered or given up.
func (s *Webhooks) Retry(ctx context.Context, id, delivery string) error {
	escaped, err := segment(delivery)
	if err != nil {
		return err
	}
	r := request{method: http.MethodPost, path: "/deliveries/" + escaped + "/retry"}
	_, err = aboutWebhook[QueuedDelivery](ctx, s, id, r)
	return err
}

// aboutWebhook sends a request about an endpoint. The path of the request is what follows the ID.
func aboutWebhook[T any](ctx context.Context, s *Webhooks, id string, r request) (T, error) {
	path, err := pathOf("webhooks", id)
	if err != nil {
		var none T
		return none, err
	}
	r.path = path + r.path
	return call[T](ctx, s.transport, r)
}
