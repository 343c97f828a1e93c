package page

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
)

const (
	// secretTime is how long a new secret waits for the page that shows it.
	secretTime = 5 * time.Minute
	// secretValue is the prefix of the values in a session that hold new secrets. The path of the page follows.
	secretValue = "secret "
)

// heldSecret is a new secret that waits in a session.
type heldSecret struct {
	Until time.Time
	Text  json.RawMessage
}

// ShowOnce answers the form that created a secret: it redirects to the page at path, which shows the secret once. So a
// reload never submits the form again. If the session cannot be stored, it shows page p right away instead, because
// the secret is available only now.
func (v *Visit) ShowOnce(path string, secret any, p Page) error {
	if err := v.holdSecret(path, secret); err != nil {
		v.site.Log.Warn("new secret shown without a redirect", "error", err)
		return v.Show(http.StatusCreated, p)
	}
	return v.Redirect(path)
}

// holdSecret stores a secret in the session, encrypted, for the page at path.
func (v *Visit) holdSecret(path string, secret any) error {
	ctx := v.Context()

	// Secrets that nobody came to see don't stay in the session.
	for _, name := range v.site.sessions.Keys(ctx) {
		if strings.HasPrefix(name, secretValue) && !v.isHeld(name) {
			v.site.sessions.Remove(ctx, name)
		}
	}

	text, err := json.Marshal(secret)
	if err != nil {
		return err
	}
	text, err = json.Marshal(heldSecret{Until: v.site.Now().Add(secretTime), Text: text})
	if err != nil {
		return err
	}

	// The path is authenticated too, so a value can't be moved to another page.
	seal, err := v.secretCipher()
	if err != nil {
		return err
	}
	//nolint:gosec // G407: the cipher prepends a random nonce itself
	v.site.sessions.Put(ctx, secretValue+path, seal.Seal(nil, nil, text, []byte(path)))

	return v.StoreSession()
}

// isHeld reports whether a value in the session is a secret that still waits for its page.
func (v *Visit) isHeld(name string) bool {
	_, err := v.openSecret(name)
	return err == nil
}

// TakeSecret removes the secret for the page at path from the session and decodes it. It reports whether there was one.
func (v *Visit) TakeSecret(path string, secret any) bool {
	ctx := v.Context()
	name := secretValue + path
	if !v.site.sessions.Exists(ctx, name) {
		return false
	}
	held, err := v.openSecret(name)
	v.site.sessions.Remove(ctx, name)
	return err == nil && json.Unmarshal(held.Text, secret) == nil
}

// openSecret returns the secret in a value of the session, or an error if it cannot be read or has waited too long.
func (v *Visit) openSecret(name string) (heldSecret, error) {
	seal, err := v.secretCipher()
	if err != nil {
		return heldSecret{}, err
	}
	path := strings.TrimPrefix(name, secretValue)
	text, err := seal.Open(nil, nil, v.site.sessions.GetBytes(v.Context(), name), []byte(path))
	if err != nil {
		return heldSecret{}, err
	}
	var held heldSecret
	if err := json.Unmarshal(text, &held); err != nil {
		return heldSecret{}, err
	}
	if v.site.Now().After(held.Until) {
		return heldSecret{}, errors.New("secret has expired")
	}
	return held, nil
}

// PutSecret stores a secret in the session, encrypted.
func (v *Visit) PutSecret(name, secret string) error {
	seal, err := v.secretCipher()
	if err != nil {
		return err
	}
	//nolint:gosec // G407: the cipher prepends a random nonce itself
	v.Put(name, seal.Seal(nil, nil, []byte(secret), []byte(name)))
	return nil
}

// GetSecret returns a secret that PutSecret has stored, or "" if the session has no such secret.
func (v *Visit) GetSecret(name string) string {
	seal, err := v.secretCipher()
	if err != nil {
		return ""
	}
	secret, err := seal.Open(nil, nil, v.site.sessions.GetBytes(v.Context(), name), []byte(name))
	if err != nil {
		return ""
	}
	return string(secret)
}

// secretCipher returns the cipher for the secrets in a session. Its key derives from the session's token, which only
// the browser has: the database stores a hash of the token. So nobody who reads the database can read the secrets.
func (v *Visit) secretCipher() (cipher.AEAD, error) {
	token := v.site.sessions.Token(v.Context())
	if token == "" {
		return nil, errors.New("the session has no token")
	}
	key, err := hkdf.Key(sha256.New, []byte(token), nil, "secret shown once", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
