package engine

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/freelancer-matching/service/internal/matching"
)

// EncodedDimensions is the length of each vector of an Encoded.
const EncodedDimensions = 384

// An Encoded holds the vectors of one profile by the sentence encoder.
type Encoded struct {
	Revision uint64          // of the record that was encoded; see Revisions
	Text     uint64          // hash of the encoded texts
	Short    matching.Vector // of title and skills
	Whole    matching.Vector // of title, skills and description
}

// A HashedID is a hash of a freelancer's ID, under which an Encoded is stored. Freelancers with the same one share the
// Encoded, so that one of them counts as not encoded.
type HashedID uint64

// HashID returns the hash of an ID.
func HashID(id string) HashedID {
	sum := sha256.Sum256([]byte(id))
	return HashedID(binary.LittleEndian.Uint64(sum[:]))
}
