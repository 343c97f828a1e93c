package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"strings"
)

const (
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomLen   = 30 // base62 characters, 178 bits
	checksumLen = 6  // base62 characters, enough for 32 bits
	last4Len    = 4  // base62 characters
)

// ErrToken means that a text is not a token of this service. It does not say which part is wrong.
var ErrToken = errors.New("not a key of this service")

// A Hash is the SHA-256 of a token, the only form in which a token is stored. A slow password hash would add nothing,
// because tokens have 178 random bits.
type Hash [sha256.Size]byte

// HashOf returns the hash of a token.
func HashOf(token string) Hash { return sha256.Sum256([]byte(token)) }

// Generate returns a new token for a plan: the prefix, 30 random base62 characters, and a checksum of 6 characters.
func Generate(p Plan) string {
	body := p.Prefix + randomText(randomLen)
	return body + checksum(body)
}

// Parse checks the form and the checksum of a token and returns the plan its prefix names. It does not look up the key.
func Parse(token string) (Plan, error) {
	prefixLen := strings.LastIndexByte(token, '_') + 1
	plan, known := planWithPrefix(token[:prefixLen])
	secret := token[prefixLen:]
	if !known || len(secret) != randomLen+checksumLen || strings.Trim(secret, base62) != "" {
		return Plan{}, ErrToken
	}
	body := token[:len(token)-checksumLen]
	if token[len(body):] != checksum(body) {
		return Plan{}, ErrToken
	}
	return plan, nil
}

// checksum returns the CRC-32 of prefix and random part, in base62 with leading zeros. It detects mistyped and
// truncated tokens without a lookup, and helps secret scanners avoid false positives.
func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	var text [checksumLen]byte
	for i := checksumLen - 1; i >= 0; i-- {
		text[i] = base62[sum%62]
		sum /= 62
	}
	return string(text[:])
}

// randomText returns n random base62 characters. It discards bytes from the largest multiple of 62 on, because taking
// them modulo 62 would favor the first characters of the alphabet.
func randomText(n int) string {
	text := make([]byte, 0, n)
	buf := make([]byte, 2*n)
	for {
		_, _ = rand.Read(buf) // never fails
		for _, b := range buf {
			if b >= 4*62 {
				continue
			}
			if text = append(text, base62[b%62]); len(text) == n {
				return string(text)
			}
		}
	}
}
