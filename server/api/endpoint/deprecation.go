package endpoint

import (
	"fmt"
	"net/http"
	"time"
)

// A Deprecation says when a part of the API became deprecated, when it ends, and what takes its place.
type Deprecation struct {
	Since, Until time.Time // UTC
	Successor    string    // path
}

// Deprecate sets the headers that announce the end of what the call uses: Deprecation (RFC 9745), Sunset (RFC 8594) and
// Link.
func (c *Call) Deprecate(d Deprecation) {
	c.SetHeader("Deprecation", fmt.Sprintf("@%d", d.Since.Unix()))
	c.SetHeader("Sunset", d.Until.Format(http.TimeFormat))
	c.Response.Header().Add("Link", fmt.Sprintf(`<%s>; rel="successor-version"`, d.Successor))
}
