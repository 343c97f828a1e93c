package feed

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/webhook"
)

const (
	// MaxEndpoints is the number of endpoints of an account.
	MaxEndpoints = 10
	// RotationTime is how long the secret before a rotation signs messages, too.
	RotationTime = 24 * time.Hour
)

// The codes of errors.
const (
	CodeEndpointUnknown  matching.Code = "webhook_not_found"
	CodeDeliveryUnknown  matching.Code = "delivery_not_found"
	CodeTooManyEndpoints matching.Code = "too_many_webhooks"
	CodeSending          matching.Code = "delivery_in_progress"
)

// The errors of an EndpointStore.
var (
	ErrUnknown = errors.New("no such endpoint or delivery")
	ErrFull    = errors.New("the account has as many endpoints as it may have")
	ErrSending = errors.New("an attempt is in progress")
)

// An EndpointStore stores the endpoints of accounts, and messages to them. Changes are stored together with their entry
// in the audit log. Methods return ErrUnknown for an endpoint or a delivery that an account doesn't have.
type EndpointStore interface {
	// Insert stores an endpoint, which gets messages about later changes only. It returns ErrFull if the account has
	// limit endpoints.
	Insert(ctx context.Context, e *Endpoint, s webhook.Secret, limit int, event audit.Event) error
	List(ctx context.Context, account string) ([]Endpoint, error)
	Find(ctx context.Context, account, id string) (Endpoint, error)
	// Update replaces name, URL, events and Disabled. An endpoint that was off gets messages about later changes only.
	Update(ctx context.Context, e *Endpoint, event audit.Event) error
	Rotate(ctx context.Context, account, id string, s NewSecret, event audit.Event) error
	Delete(ctx context.Context, account, id string, event audit.Event) error
	// MayRead reports whether an account has an active key with the permission data:read.
	MayRead(ctx context.Context, account string, now time.Time) (bool, error)

	// Send stores a message to an endpoint.
	Send(ctx context.Context, account, id string, m *webhook.Message) error
	// Deliveries returns up to limit messages to an endpoint after a place, the newest first.
	Deliveries(ctx context.Context, account, id string, after Place, limit int) ([]Delivery, error)
	// Retry makes a message due. It returns ErrSending if an attempt is in progress.
	Retry(ctx context.Context, account, id, message string, now time.Time) error
}

// Settings are what an account chooses about an endpoint.
type Settings struct {
	Name   string // "" is the host of the URL
	URL    string // "": messages are fetched
	Events []Event
	Off    bool
}

// Endpoints manages the endpoints of accounts. All fields are required.
type Endpoints struct {
	Store   EndpointStore
	Allowed *webhook.Allowed
	Now     func() time.Time
	Notify  func() // makes a sender look for messages
}

// check applies settings to an endpoint, and returns their faults.
func (s *Endpoints) check(ctx context.Context, e *Endpoint, n Settings) error {
	var faults []matching.FieldError
	add := func(field, format string, args ...any) {
		faults = append(faults, matching.FieldError{
			Field: field, Code: "invalid_value", Message: field + " " + fmt.Sprintf(format, args...),
		})
	}

	if n.URL != "" {
		if err := s.Allowed.CheckURL(n.URL); err != nil {
			add("url", "%v.", err)
		}
	}

	var names []string
	needsData := false
	for _, event := range Events() {
		names = append(names, string(event))
		needsData = needsData || event.NeedsData() && slices.Contains(n.Events, event)
	}
	isUnknown := func(event Event) bool { return !slices.Contains(Events(), event) }
	if len(n.Events) == 0 || slices.ContainsFunc(n.Events, isUnknown) {
		add("events", "must be one or more of %s.", strings.Join(names, ", "))
	}

	name := n.Name
	if name == "" {
		name = "Fetched by the API"
		if u, err := url.Parse(n.URL); err == nil && u.Host != "" {
			name = u.Hostname()
		}
		name = string([]rune(name)[:min(len([]rune(name)), 100)])
	}
	name, err := apikey.ParseName(name)
	if err != nil {
		faults = append(faults, matching.FieldError{Field: "name", Code: "invalid_value", Message: err.Error() + "."})
	}

	if needsData {
		mayRead, err := s.Store.MayRead(ctx, e.Account, s.Now())
		if err != nil {
			return err
		}
		if !mayRead {
			add("events", "about freelancers and loads need an active API key of your account with the permission %s.",
				apikey.ReadData)
		}
	}

	if len(faults) > 0 {
		return matching.Invalid(faults)
	}

	e.Name = name
	e.URL = n.URL
	e.Events = slices.Compact(slices.Sorted(slices.Values(n.Events)))
	switch {
	case !n.Off:
		e.Disabled = time.Time{}
	case e.On():
		e.Disabled = s.now()
	}
	return nil
}

// now returns the time as a database stores it.
func (s *Endpoints) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

// Create creates an endpoint with a new secret, which can't be read again.
func (s *Endpoints) Create(
	ctx context.Context, by audit.By, account string, n Settings,
) (Endpoint, webhook.Secret, error) {
	e := Endpoint{ID: "we_" + strings.ToLower(rand.Text()[:16]), Account: account, Created: s.now()}
	if err := s.check(ctx, &e, n); err != nil {
		return Endpoint{}, nil, err
	}
	secret := webhook.NewSecret()
	err := s.Store.Insert(ctx, &e, secret, MaxEndpoints, s.event(by, &e, audit.WebhookCreated))
	if errors.Is(err, ErrFull) {
		err = &matching.Error{
			Code: CodeTooManyEndpoints, Cause: err,
			Message: fmt.Sprintf("Your account has %d webhook endpoints, which is the limit. Delete one first.", MaxEndpoints),
		}
	}
	if err != nil {
		return Endpoint{}, nil, err
	}
	return e, secret, nil
}

// event returns an entry of the audit log. It has the host of the URL alone: paths can contain secrets.
func (s *Endpoints) event(by audit.By, e *Endpoint, action audit.Action) audit.Event {
	host := "fetched"
	if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
		host = u.Host
	}
	var events []string
	for _, event := range e.Events {
		events = append(events, string(event))
	}
	state := ""
	if !e.On() {
		state = ", off"
	}
	return audit.Event{
		At: s.now(), Actor: by.Actor, Address: by.Address, Browser: by.Browser, Account: e.Account, Action: action,
		Subject: e.ID, Detail: fmt.Sprintf("%s: %s%s", host, strings.Join(events, " "), state),
	}
}

// List returns the endpoints of an account, the oldest first.
func (s *Endpoints) List(ctx context.Context, account string) ([]Endpoint, error) {
	return s.Store.List(ctx, account)
}

// Get returns an endpoint of an account.
func (s *Endpoints) Get(ctx context.Context, account, id string) (Endpoint, error) {
	e, err := s.Store.Find(ctx, account, id)
	return e, endpointError(err)
}

// Change changes the settings of an endpoint. choose gets the current ones.
func (s *Endpoints) Change(
	ctx context.Context, by audit.By, account, id string, choose func(*Settings) error,
) (Endpoint, error) {
	e, err := s.Get(ctx, account, id)
	if err != nil {
		return Endpoint{}, err
	}
	n := Settings{Name: e.Name, URL: e.URL, Events: e.Events, Off: !e.On()}
	if err := choose(&n); err != nil {
		return Endpoint{}, err
	}
	if err := s.check(ctx, &e, n); err != nil {
		return Endpoint{}, err
	}
	if err := s.Store.Update(ctx, &e, s.event(by, &e, audit.WebhookChanged)); err != nil {
		return Endpoint{}, endpointError(err)
	}
	s.Notify() // messages may have waited while it was off
	return e, nil
}

// Rotate gives an endpoint a new secret. The one before signs messages, too, for RotationTime.
func (s *Endpoints) Rotate(
	ctx context.Context, by audit.By, account, id string,
) (Endpoint, webhook.Secret, error) {
	e, err := s.Get(ctx, account, id)
	if err != nil {
		return Endpoint{}, nil, err
	}
	e.PreviousUntil = s.now().Add(RotationTime)
	secret := webhook.NewSecret()
	err = s.Store.Rotate(ctx, account, id, NewSecret{secret, e.PreviousUntil}, s.event(by, &e, audit.WebhookRotated))
	return e, secret, endpointError(err)
}

// Delete deletes an endpoint with its messages.
func (s *Endpoints) Delete(ctx context.Context, by audit.By, account, id string) error {
	e, err := s.Get(ctx, account, id)
	if err != nil {
		return err
	}
	return endpointError(s.Store.Delete(ctx, account, id, s.event(by, &e, audit.WebhookDeleted)))
}

// Test sends an example of an event to an endpoint, whether or not it asks for such events; "" is the first one that it
// asks for. It returns the ID of the message.
func (s *Endpoints) Test(ctx context.Context, account, id string, event Event) (message string, err error) {
	e, err := s.Get(ctx, account, id)
	if err != nil {
		return "", err
	}
	event = cmp.Or(event, e.Events[0])
	if !slices.Contains(Events(), event) {
		return "", matching.Invalid([]matching.FieldError{{
			Field: "event", Code: "invalid_value", Message: "event must be one of the events that webhooks can have.",
		}})
	}

	m, err := Example(event, s.now())
	if err != nil {
		return "", err
	}
	if err := s.Store.Send(ctx, account, id, m); err != nil {
		return "", endpointError(err)
	}
	s.Notify()
	return m.ID, nil
}

// Deliveries returns up to limit messages to an endpoint after a place, the newest first.
func (s *Endpoints) Deliveries(
	ctx context.Context, account, id string, after Place, limit int,
) (Endpoint, []Delivery, error) {
	e, err := s.Get(ctx, account, id)
	if err != nil {
		return Endpoint{}, nil, err
	}
	deliveries, err := s.Store.Deliveries(ctx, account, id, after, limit)
	return e, deliveries, endpointError(err)
}

// Retry sends a message again, also one that was delivered.
func (s *Endpoints) Retry(ctx context.Context, account, id, message string) error {
	err := s.Store.Retry(ctx, account, id, message, s.now())
	switch {
	case errors.Is(err, ErrUnknown):
		return &matching.Error{
			Code: CodeDeliveryUnknown, Message: "The webhook endpoint has no such delivery that can be sent again.", Cause: err,
		}
	case errors.Is(err, ErrSending):
		return &matching.Error{
			Code: CodeSending, Message: "The message is being sent. Look again in a moment.", Cause: err,
		}
	case err == nil:
		s.Notify()
	}
	return err
}

func endpointError(err error) error {
	if !errors.Is(err, ErrUnknown) {
		return err
	}
	return &matching.Error{
		Code: CodeEndpointUnknown, Message: "Your account has no webhook endpoint with this ID.", Cause: err,
	}
}
