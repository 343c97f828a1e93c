package matching

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// maxMessage is the size of the largest message that Receive reads, many times that of the largest one sent.
	maxMessage = 1 << 20
	// signatureVersion begins a signature.
	signatureVersion = "v1,"
	secretPrefix     = "whsec_"
)

// What is wrong with a message, for errors.Is. Respond with status 400.
var (
	ErrSignature = errors.New("the message isn't signed with the secret")
	ErrTimestamp = errors.New("the time of the message is missing, or too far from the current time")
	ErrMessage   = errors.New("the message can't be read")
)

// errNoSecret is the error of a verifier that can't verify anything.
var errNoSecret = errors.New("matching: the verifier needs a secret: set WebhookVerifier.Secrets")

// A WebhookVerifier verifies messages that an endpoint receives. Its fields may not be changed while it is used; it is
// safe for concurrent use.
type WebhookVerifier struct {
	// Secrets are the secrets of the endpoint, or of all endpoints that have this URL: "whsec_…". One of them has to
	// match. After Webhooks.Rotate, add the new secret, and remove the old one after 24 hours.
	Secrets []string

	// Tolerance is how far the time of a message may be from the current time. By default, five minutes.
	Tolerance time.Duration

	// Now returns the current time. By default, time.Now.
	Now func() time.Time
}

// A WebhookMessage is a verified message. One of the members from Changes to Interview is set, unless its Type is
// unknown to this client.
type WebhookMessage struct {
	ID        string    // the same when a message is sent again, so ignore a message whose ID you have
	Type      string    // such as freelancer.changed
	Timestamp time.Time // of the event
	Test      bool      // the data is invented

	Changes     []AnnouncedChange   // freelancer.changed and freelancer.erased
	LoadLive    *LoadLiveMessage    // load.live
	LoadRefused *LoadRefusedMessage // load.refused
	Quota       *QuotaMessage       // quota.nearly_exhausted
	Key         *KeyMessage         // key.expiring
	Interview   *InterviewMessage   // interview.submitted and interview.evaluated

	Data json.RawMessage // of any type
}

// An InterviewMessage is the data of messages about an interview. What is nil is not known yet.
type InterviewMessage struct {
	SessionID            string         `json:"session_id"`
	FreelancerID         string         `json:"freelancer_id"`
	State                string         `json:"state"`
	OverallScore         *int64         `json:"overall_score"`
	Points               *CoveredPoints `json:"points"`
	HiringRecommendation *bool          `json:"hiring_recommendation"`
}

// Receive reads the body of a request, and returns its message. Errors of the verification are ErrSignature,
// ErrTimestamp and ErrMessage.
func (v *WebhookVerifier) Receive(r *http.Request) (*WebhookMessage, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxMessage+1))
	if err != nil {
		return nil, fmt.Errorf("matching: read the message: %w", err)
	}
	if len(body) > maxMessage {
		return nil, fmt.Errorf("matching: %w: it has more than %d bytes", ErrMessage, maxMessage)
	}
	return v.Verify(r.Header, body)
}

// Verify returns the message in a body, exactly as it was received, if the header has a signature of it.
func (v *WebhookVerifier) Verify(header http.Header, body []byte) (*WebhookMessage, error) {
	if len(v.Secrets) == 0 {
		return nil, errNoSecret
	}

	// The signed text is id.timestamp.body, so an ID with a dot could take a part of the body for the time.
	id := header.Get("Webhook-Id")
	if id == "" || strings.Contains(id, ".") {
		return nil, fmt.Errorf("matching: %w: the header Webhook-Id is missing or has a dot", ErrSignature)
	}
	if err := v.checkTime(header.Get("Webhook-Timestamp")); err != nil {
		return nil, fmt.Errorf("matching: %w", err)
	}

	isSigned := false
	signatures := strings.Fields(header.Get("Webhook-Signature"))
	for _, secret := range v.Secrets {
		want, err := sign(secret, id, header.Get("Webhook-Timestamp"), body)
		if err != nil {
			return nil, err
		}
		for _, signature := range signatures {
			isSigned = hmac.Equal([]byte(signature), []byte(want)) || isSigned
		}
	}
	if !isSigned {
		return nil, fmt.Errorf("matching: %w", ErrSignature)
	}
	return parseMessage(id, body)
}

// checkTime returns an error unless a time in seconds since 1970 is near the current time.
func (v *WebhookVerifier) checkTime(timestamp string) error {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return ErrTimestamp
	}

	now := time.Now
	if v.Now != nil {
		now = v.Now
	}
	tolerance := v.Tolerance
	if tolerance == 0 {
		tolerance = 5 * time.Minute
	}
	if now().Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return ErrTimestamp
	}
	return nil
}

// sign returns the signature of a message. The error doesn't quote the secret.
func sign(secret, id, timestamp string, body []byte) (string, error) {
	encoded, hasPrefix := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !hasPrefix || err != nil || len(key) == 0 {
		return "", fmt.Errorf("matching: the secret of a webhook must be %s followed by base64", secretPrefix)
	}

	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return signatureVersion + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// Message returns the message of a delivery. It verifies nothing: the client has the delivery from the service.
func (d *Delivery) Message() (*WebhookMessage, error) { return parseMessage(d.ID, d.Body) }

// parseMessage decodes a message by its type.
func parseMessage(id string, body []byte) (*WebhookMessage, error) {
	var envelope struct {
		Type      string          `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Test      bool            `json:"test"`
		Data      json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return nil, fmt.Errorf("matching: %w: %w", ErrMessage, err)
	}

	m := &WebhookMessage{
		ID: id, Type: envelope.Type, Timestamp: envelope.Timestamp, Test: envelope.Test, Data: envelope.Data,
	}
	if err := m.decode(); err != nil {
		return nil, fmt.Errorf("matching: %w: %w", ErrMessage, err)
	}
	return m, nil
}

// decode sets the member for the data of a known type.
func (m *WebhookMessage) decode() error {
	switch m.Type {
	case "freelancer.changed", "freelancer.erased":
		var data ChangesMessage
		err := json.Unmarshal(m.Data, &data)
		m.Changes = data.Changes
		return err
	case "load.live":
		return json.Unmarshal(m.Data, &m.LoadLive)
	case "load.refused":
		return json.Unmarshal(m.Data, &m.LoadRefused)
	case "quota.nearly_exhausted":
		return json.Unmarshal(m.Data, &m.Quota)
	case "key.expiring":
		return json.Unmarshal(m.Data, &m.Key)
	case "interview.submitted", "interview.evaluated":
		return json.Unmarshal(m.Data, &m.Interview)
	default:
		return nil
	}
}
