package wire

import (
	"encoding/json"
	"time"

	"github.com/freelancer-matching/service/feed"
)

// ChangeListAnswer is the response of GET /changes.
type ChangeListAnswer struct {
	Status     string   `json:"status"` // success
	Data       []Change `json:"data"`
	NextCursor string   `json:"next_cursor"` // where later changes begin, also on the last page
	HasMore    bool     `json:"has_more"`
	RequestID  string   `json:"request_id"`
	TookMS     float64  `json:"took_ms"`
}

// A Change is a change of a freelancer, or of the whole index.
type Change struct {
	Sequence int64          `json:"sequence"`
	Kind     feed.Kind      `json:"kind"`
	ID       NullableString `json:"id"` // null for index.replaced
	At       time.Time      `json:"at"`
	Load     *feed.Load     `json:"load"` // null for other kinds
}

// NewChange returns a change as clients receive it.
func NewChange(c *feed.Change) Change {
	return Change{Sequence: c.Sequence, Kind: c.Kind, ID: NullableString(c.ID), At: c.At, Load: c.Load}
}

// A EndpointRequest describes an endpoint. What is missing stays as it is.
type EndpointRequest struct {
	Name    *string   `json:"name"`
	URL     *string   `json:"url"`
	Events  *[]string `json:"events"`
	Enabled *bool     `json:"enabled"`
}

// Apply changes the settings of an endpoint.
func (r *EndpointRequest) Apply(n *feed.Settings) {
	if r.Name != nil {
		n.Name = *r.Name
	}
	if r.URL != nil {
		n.URL = *r.URL
	}
	if r.Events != nil {
		n.Events = nil
		for _, event := range *r.Events {
			n.Events = append(n.Events, feed.Event(event))
		}
	}
	if r.Enabled != nil {
		n.Off = !*r.Enabled
	}
}

// A WebhookTestRequest chooses the event of a test.
type WebhookTestRequest struct {
	Event string `json:"event"`
}

// A Webhook is an endpoint of an account.
type Webhook struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	URL       NullableString `json:"url"` // null if its messages are not sent, but listed as deliveries
	Events    []feed.Event   `json:"events"`
	Enabled   bool           `json:"enabled"`
	CreatedAt time.Time      `json:"created_at"`
}

// NewWebhook returns an endpoint as clients receive it.
func NewWebhook(e *feed.Endpoint) Webhook {
	return Webhook{
		ID: e.ID, Name: e.Name, URL: NullableString(e.URL), Events: e.Events, Enabled: e.On(), CreatedAt: e.Created,
	}
}

// A SecretWebhook is an endpoint with its new secret, which no other response has.
type SecretWebhook struct {
	Webhook
	Secret string `json:"secret"`
	// PreviousSecretUntil is when the secret before stops to sign messages, too; null for a new endpoint.
	PreviousSecretUntil *time.Time `json:"previous_secret_until"`
}

// A DeletedWebhook is the data in the response of DELETE /webhooks/{id}.
type DeletedWebhook struct {
	ID string `json:"id"`
}

// A QueuedDelivery is the data in the responses of tests and retries.
type QueuedDelivery struct {
	ID string `json:"id"` // of the message: the header webhook-id
}

// DeliveryListAnswer is the response of GET /webhooks/{id}/deliveries.
type DeliveryListAnswer struct {
	Status     string         `json:"status"` // success
	Data       []Delivery     `json:"data"`
	NextCursor NullableString `json:"next_cursor"` // null on the last page
	RequestID  string         `json:"request_id"`
	TookMS     float64        `json:"took_ms"`
}

// A Delivery is a message to an endpoint and what became of it.
type Delivery struct {
	ID            string             `json:"id"`
	Event         string             `json:"event"`
	State         feed.DeliveryState `json:"state"`
	CreatedAt     time.Time          `json:"created_at"`
	Attempts      int                `json:"attempts"`
	LastAttemptAt *time.Time         `json:"last_attempt_at"`
	ResponseCode  *int               `json:"response_status"` // null without a response
	ResponseMS    *float64           `json:"response_ms"`     // duration of the last attempt; null without one
	LastError     NullableString     `json:"last_error"`
	NextAttemptAt *time.Time         `json:"next_attempt_at"`
	Body          json.RawMessage    `json:"body"`
}

// NewDelivery returns a delivery as clients receive it.
func NewDelivery(d *feed.Delivery) Delivery {
	wire := Delivery{
		ID: d.ID, Event: d.Type, State: d.State(), CreatedAt: d.Created, Attempts: d.Attempts,
		LastError: NullableString(d.LastError), Body: d.Body,
	}
	if !d.Attempted.IsZero() {
		ms := float64(d.Took.Microseconds()) / 1000
		wire.LastAttemptAt = &d.Attempted
		wire.ResponseMS = &ms
	}
	if d.Status != 0 {
		wire.ResponseCode = &d.Status
	}
	if !d.Next.IsZero() {
		wire.NextAttemptAt = &d.Next
	}
	return wire
}
