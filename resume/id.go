package resume

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// IDOf returns the freelancer ID of a resume with an identity, which is a text.
func IDOf(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return id(sum[:])
}

func id(hash []byte) string { return "resume-" + hex.EncodeToString(hash[:10]) }

// EmailID returns the freelancer ID that a load gives to every row and resume with an email address.
func EmailID(address string) string { return IDOf("email " + strings.ToLower(address)) }

// A DraftKey is a secret from which the IDs of drafts are made. Every resume of a person keeps its ID, but only the
// owner of the key can tell whether an ID belongs to an address.
type DraftKey string

// ID returns the freelancer ID in the drafts of all resumes with an email address.
func (k DraftKey) ID(address string) string {
	h := hmac.New(sha256.New, []byte(k))
	h.Write([]byte(strings.ToLower(address)))
	return id(h.Sum(nil))
}
