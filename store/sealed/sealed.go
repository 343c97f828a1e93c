// Package sealed encrypts secrets that the database keeps, with keys that the database doesn't have.
package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/store/column"
)

const (
	keyLength = 32 // bytes, for AES-256
	// prefix begins every encrypted secret. The ID of its key and base64 follow. No base32 text begins so.
	prefix = "sealed:1:"
)

// Keys encrypt and decrypt secrets. A nil *Keys encrypts nothing, and decrypts nothing. Secrets that aren't encrypted
// are read as they are, with any keys.
type Keys struct{ keys []key } // at least one; the first encrypts

type key struct {
	id     string // reveals nothing about the key
	secret []byte
	aead   cipher.AEAD
}

// Parse returns the keys in a text: one in each line, of 32 bytes in base64. The first one encrypts, and all decrypt.
// Errors don't quote the text.
func Parse(text string) (*Keys, error) {
	k := &Keys{}
	for number, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		secret, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(secret) != keyLength {
			return nil, fmt.Errorf("line %d must have %d bytes in base64, as from: openssl rand -base64 %d", number+1,
				keyLength, keyLength)
		}

		block, err := aes.NewCipher(secret)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(append([]byte("ID of a key for secrets\n"), secret...))
		k.keys = append(k.keys, key{hex.EncodeToString(sum[:4]), secret, aead})
	}
	if len(k.keys) == 0 {
		return nil, errors.New("there is no key in it")
	}
	return k, nil
}

// Seal encrypts a secret with the first key. It can be opened for the same purpose only, so that nobody who changes the
// database can give the secret of one row to another. An empty secret stays empty.
func (k *Keys) Seal(secret, purpose string) string {
	if k == nil || secret == "" || strings.HasPrefix(secret, prefix) {
		return secret
	}
	first := k.keys[0]
	//nolint:gosec // G407: the cipher prepends a random nonce itself
	text := first.aead.Seal(nil, nil, []byte(secret), []byte(purpose))
	return prefix + first.id + ":" + base64.RawStdEncoding.EncodeToString(text)
}

// Derive returns a secret of 32 bytes that follows from a stored one and the first key, so that the database alone
// doesn't reveal it. Without keys, it returns the stored secret.
func (k *Keys) Derive(stored []byte) []byte {
	if k == nil {
		return stored
	}
	h := hmac.New(sha256.New, k.keys[0].secret)
	h.Write([]byte("derived secret\n"))
	h.Write(stored)
	return h.Sum(nil)
}

// Open decrypts a stored secret. It reports false, and returns the stored text, if no key can.
func (k *Keys) Open(stored, purpose string) (secret string, ok bool) {
	rest, isSealed := strings.CutPrefix(stored, prefix)
	if !isSealed {
		return stored, true
	}
	id, encoded, _ := strings.Cut(rest, ":")
	text, err := base64.RawStdEncoding.DecodeString(encoded)
	if err != nil || k == nil {
		return stored, false
	}

	for _, candidate := range k.keys {
		if candidate.id != id {
			continue
		}
		if opened, err := candidate.aead.Open(nil, nil, text, []byte(purpose)); err == nil {
			return string(opened), true
		}
	}
	return stored, false
}

// IsCurrent reports whether a stored secret is as Seal would store it now.
func (k *Keys) IsCurrent(stored string) bool {
	if k == nil || stored == "" {
		return !strings.HasPrefix(stored, prefix)
	}
	return strings.HasPrefix(stored, prefix+k.keys[0].id+":")
}

// Column returns a column for a secret. The purpose is evaluated when the column is read or written. A secret that no
// key decrypts is read as it is stored, and written back unchanged.
func (k *Keys) Column(secret *string, purpose func() string) column.Column {
	return sealedColumn{k, secret, purpose}
}

type sealedColumn struct {
	keys    *Keys
	secret  *string
	purpose func() string
}

// Value implements driver.Valuer.
func (c sealedColumn) Value() (driver.Value, error) { return c.keys.Seal(*c.secret, c.purpose()), nil }

// Scan implements sql.Scanner.
func (c sealedColumn) Scan(stored any) error {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("column of a secret is %T, want a text", stored)
	}
	*c.secret, _ = c.keys.Open(text, c.purpose())
	return nil
}
