package segment

import (
	"github.com/segmentio/encoding/json"

	"github.com/freelancer-matching/service/internal/matching"
)

// decodeRecord decodes a record in a third of the time that encoding/json takes (ADR 0037). The decoder uses package
// unsafe, so decodeRecord must only be called with records that passed their checksum, which this program wrote.
func decodeRecord(record []byte, f *matching.Freelancer) error { return json.Unmarshal(record, f) }
