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
	lastLen     = 4  // characters of a token that its record keeps
)

// ErrToken is the fault of a text that is no key of this service. It does not say which part is wrong.
var ErrToken = errors.New("not a key of this service")

// Hash is the SHA-256 of a token, the only form in which one is stored. A slow password hash would add nothing: there
// are 178 random bits to guess.
type Hash [sha256.Size]byte

// HashOf is the hash of a token.
func HashOf(token string) Hash { return sha256.Sum256([]byte(token)) }

// Generate makes a new token for a plan: the prefix, 30 random base62 characters, and 6 of checksum.
func Generate(p Plan) string {
	body := p.Prefix + randomText(randomLen)
	return body + checksum(body)
}

// Parse checks the form and the checksum of a token without looking it up, and is the plan that its prefix names.
func Parse(token string) (Plan, error) {
	cut := strings.LastIndexByte(token, '_') + 1
	plan, known := planWithPrefix(token[:cut])
	secret := token[cut:]
	if !known || len(secret) != randomLen+checksumLen || strings.Trim(secret, base62) != "" {
		return Plan{}, ErrToken
	}
	body := token[:len(token)-checksumLen]
	if token[len(body):] != checksum(body) {
		return Plan{}, ErrToken
	}
	return plan, nil
}

// checksum is the CRC-32 of prefix and random part, in base62 with leading zeros, so that a mistyped or shortened key
// is recognised without a look-up and secret scanners find few false positives.
func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	var text [checksumLen]byte
	for i := checksumLen - 1; i >= 0; i-- {
		text[i] = base62[sum%62]
		sum /= 62
	}
	return string(text[:])
}

// randomText is n random base62 characters. Bytes from the largest multiple of 62 on are drawn again: taking them
// modulo 62 would favour the first characters of the alphabet.
func randomText(n int) string {
	text := make([]byte, 0, n)
	buf := make([]byte, 2*n)
	for {
		_, _ = rand.Read(buf) // never fails: crypto/rand ends the process instead
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
