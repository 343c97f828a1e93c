package records

import (
	"net/http"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
)

// The headers of conditional requests (RFC 9110).
const (
	HeaderETag        = "ETag"
	headerIfMatch     = "If-Match"
	headerIfNoneMatch = "If-None-Match"
)

// etag returns the entity tag of a version.
func etag(version string) string { return `"` + version + `"` }

// An etagList is the value of If-Match or If-None-Match.
type etagList struct {
	any      bool     // "*"
	versions []string // of strong tags
	weak     []string // of weak tags, W/"…"
}

// parseETags parses the values of a header and reports whether they are well formed. Without a header, the list is
// empty.
func parseETags(values []string) (list etagList, ok bool) {
	text := strings.TrimSpace(strings.Join(values, ","))
	if text == "*" {
		return etagList{any: true}, true
	}

	for text != "" {
		into := &list.versions
		rest, weak := strings.CutPrefix(text, "W/")
		if weak {
			into = &list.weak
		}

		rest, quoted := strings.CutPrefix(rest, `"`)
		tag, rest, closed := strings.Cut(rest, `"`)
		if !quoted || !closed {
			return etagList{}, false
		}

		*into = append(*into, tag)
		rest = strings.TrimLeft(rest, " \t")
		if rest != "" && rest[0] != ',' {
			return etagList{}, false
		}

		text = strings.TrimLeft(rest, ", \t")
	}

	return list, true
}

// contains reports whether the list has a version, by the weak comparison of If-None-Match.
func (l etagList) contains(version string) bool {
	return l.any || slices.Contains(l.versions, version) || slices.Contains(l.weak, version)
}

// readETags parses a header. An error in it is added to faults.
func readETags(h http.Header, name string, faults *validate.Faults) etagList {
	list, ok := parseETags(h.Values(name))
	if !ok {
		faults.Add(name, "malformed", `%s must be * or a list of ETags in quotation marks, such as "…"; got %s.`, name,
			validate.Quote(h.Get(name)))
	}
	return list
}

// noVersion is a version that no freelancer has. A condition must have one version at least.
const noVersion = "none"

// readCondition returns the condition of a change. If-Match compares strongly, so weak tags never match.
func readCondition(h http.Header, faults *validate.Faults) (c freelancers.Condition) {
	match := readETags(h, headerIfMatch, faults)
	none := readETags(h, headerIfNoneMatch, faults)
	switch {
	case match.any:
		c.Exists = matching.Some(true)
	case len(match.versions)+len(match.weak) > 0:
		c.Versions = append([]string{noVersion}, match.versions...)
	}
	switch {
	case none.any && (c.Exists.Known || c.Versions != nil):
		faults.Add(headerIfNoneMatch, "contradiction",
			"If-Match and If-None-Match: * contradict each other; send one of them.")
	case none.any:
		c.Exists = matching.Some(false)
	case len(none.versions)+len(none.weak) > 0:
		faults.Add(headerIfNoneMatch, "unknown_value", "If-None-Match must be * for a change, which then only creates.")
	}
	return c
}
