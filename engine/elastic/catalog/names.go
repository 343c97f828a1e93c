package catalog

import (
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// maxName is the maximum length of a name in Elasticsearch, in bytes.
const maxName = 255

// FullName returns the name of an index or alias in Elasticsearch. It returns an error if the name breaks the rules of
// Elasticsearch, which could read it as a pattern or as several names.
func (c *Catalog) FullName(name string) (string, error) {
	full := c.Prefix + name
	switch {
	case name == "" || full == "." || full == "..":
		return "", fmt.Errorf("%q is not a valid index name", full)
	case len(full)+len(rest.WriteSuffix) > maxName:
		return "", fmt.Errorf("the index name %q has %d bytes, want at most %d",
			full, len(full), maxName-len(rest.WriteSuffix))
	case strings.ToLower(full) != full:
		return "", fmt.Errorf("the index name %q contains capital letters", full)
	case strings.ContainsAny(full, "\\/*?\"<>| ,#:"):
		return "", fmt.Errorf(`the index name %q contains a space or one of \/*?"<>|,#: (Elasticsearch allows none)`, full)
	case strings.ContainsAny(full[:1], "-_+"):
		return "", fmt.Errorf("the index name %q starts with %q, want a letter or a digit", full, full[:1])
	}
	return full, nil
}

// ShortName returns the name of an index without the prefix.
func (c *Catalog) ShortName(full string) string { return strings.TrimPrefix(full, c.Prefix) }
