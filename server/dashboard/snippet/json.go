package snippet

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
)

// ReadableJSON returns JSON for people to read: indented, with each list on one line.
func ReadableJSON(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		panic(err) // the values hold only strings, booleans and finite numbers
	}
	return listPattern.ReplaceAllFunc(bytes.TrimSpace(text.Bytes()), func(items []byte) []byte {
		oneLine := lineBreakPattern.ReplaceAll(items, []byte(" "))
		return slices.Concat([]byte("["), bytes.TrimSpace(oneLine[1:len(oneLine)-1]), []byte("]"))
	})
}

// These match a list in indented JSON, and a line break within it. Strings hold no line breaks: JSON writes them as \n.
var (
	listPattern      = regexp.MustCompile(`\[\n[^\[\]{}]*\n *\]`)
	lineBreakPattern = regexp.MustCompile(`\n *`)
)
