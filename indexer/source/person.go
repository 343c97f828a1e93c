package source

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// makeID returns an ID that is the same in every load: a hash of the profile URL, or else of name and location. It
// returns "" if there is neither. The hash has 64 bits, so that two of a million people get the same ID in one of 37
// million data sets.
func makeID(url, name, location string) string {
	var key string
	switch {
	case url != "":
		_, key, _ = strings.Cut(url, "://")
		key, _, _ = strings.Cut(key, "#")
		key = strings.TrimSuffix(key, "/")
	case name != "":
		key = strings.ToLower(name) + "\n" + strings.ToLower(location)
	default:
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return "fl-" + hex.EncodeToString(sum[:8])
}
