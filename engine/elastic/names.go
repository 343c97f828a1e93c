package elastic

import (
	"fmt"
	"strings"
)

// maxName is the most bytes that a name may have in Elasticsearch.
const maxName = 255

// fullName is the name of an index or alias in Elasticsearch, whose rules it must keep: a name that breaks them could
// also be read as a pattern, or as several names.
func (e *Engine) fullName(name string) (string, error) {
	full := e.options.Prefix + name
	switch {
	case name == "" || full == "." || full == "..":
		return "", fmt.Errorf("%q is no name for an index", full)
	case len(full)+len(writeSuffix) > maxName:
		return "", fmt.Errorf("the name %q has %d bytes, want at most %d", full, len(full), maxName-len(writeSuffix))
	case strings.ToLower(full) != full:
		return "", fmt.Errorf("the name %q has capital letters, want small ones", full)
	case strings.ContainsAny(full, "\\/*?\"<>| ,#:"):
		return "", fmt.Errorf(`the name %q has a blank or one of \/*?"<>|,#: in it, which Elasticsearch takes in no name`, full)
	case strings.ContainsAny(full[:1], "-_+"):
		return "", fmt.Errorf("the name %q begins with %q, want a letter or a digit", full, full[:1])
	}
	return full, nil
}

// shortName is the name of an index for those who know nothing of the prefix.
func (e *Engine) shortName(full string) string { return strings.TrimPrefix(full, e.options.Prefix) }
