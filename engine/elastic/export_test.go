package elastic

import (
	"time"

	"github.com/freelancer-matching/service/engine/elastic/lock"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// ShortenWaits makes an engine wait as little as possible.
func ShortenWaits(o *Options) {
	o.waits = rest.Waits{First: time.Millisecond, Longest: 4 * time.Millisecond, Attempt: time.Minute}
	o.lockTiming = lock.Timing{Renewal: 10 * time.Millisecond, Stale: 10 * time.Second, TakeoverWait: time.Second}
}

// SetVectorIndex sets the index_options of the vectors of new indexes. Quantized types get floating-point numbers,
// because Elasticsearch doesn't quantize bytes.
func SetVectorIndex(o *Options, index map[string]any) {
	element := "float"
	if index["type"] == "hnsw" || index["type"] == "flat" {
		element = "byte"
	}
	o.vectorField = object{"element_type": element, "index_options": index}
}
