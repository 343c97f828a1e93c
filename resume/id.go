package resume

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// IDOf returns the freelancer ID of a resume with an identity, which is a text.
func IDOf(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return "resume-" + hex.EncodeToString(sum[:10])
}

// EmailID returns the freelancer ID of every resume with an email address.
func EmailID(address string) string { return IDOf("email " + strings.ToLower(address)) }
