package browsertoken

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

const (
	// Prefix begins every token, so that people and secret scanners recognize it. No API key begins so.
	Prefix = "svc_web_"
	// maxToken is the length of the longest token. Proxies limit headers to 8 KB.
	maxToken = 4096
	// purpose is authenticated with each token, so that nothing else that the same key may encrypt is one.
	purpose = "browser token 1"
)

// A Sealer seals and opens tokens. It is safe for concurrent use.
type Sealer struct{ aead cipher.AEAD }

// NewSealer returns a Sealer with a secret of 32 bytes. All servers that share a database must have the same.
func NewSealer(secret []byte) (*Sealer, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, fmt.Errorf("key of browser tokens: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("key of browser tokens: %w", err)
	}
	return &Sealer{aead}, nil
}

// Seal returns a token. It returns matching.CodeInvalid for claims that are too large.
func (s *Sealer) Seal(c *Claims) (string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("encode browser token: %w", err)
	}

	//nolint:gosec // G407: the cipher prepends a random nonce itself
	token := Prefix + base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, text, []byte(purpose)))
	if len(token) > maxToken {
		return "", matching.Invalid([]matching.FieldError{{
			Field: "filters", Code: "too_large",
			Message: fmt.Sprintf("The token would have %d characters, more than %d. Send fewer filters and origins.",
				len(token), maxToken),
		}})
	}
	return token, nil
}

// IsToken reports whether a text is meant to be a token.
func IsToken(text string) bool { return strings.HasPrefix(text, Prefix) }

// Open returns the claims of a token. For one that has expired, it returns CodeExpired with the claims; for anything
// else that is not a valid token, it returns CodeInvalid and says no more about it.
func (s *Sealer) Open(token string, now time.Time) (*Claims, error) {
	invalid := &matching.Error{
		Code: CodeInvalid, Message: "The browser token is not valid. Fetch a new one from your backend.",
	}
	encoded, ok := strings.CutPrefix(token, Prefix)
	if !ok || len(token) > maxToken {
		return nil, invalid
	}

	// Strict decoding leaves no second spelling of a token.
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") {
		return nil, invalid
	}
	text, err := s.aead.Open(nil, nil, sealed, []byte(purpose))
	if err != nil {
		return nil, invalid
	}

	var c Claims
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, invalid
	}
	if !now.Before(c.Expires) {
		return &c, &matching.Error{
			Code: CodeExpired, Message: "The browser token has expired. Fetch a new one from your backend.",
		}
	}
	return &c, nil
}
