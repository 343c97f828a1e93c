package wire

import (
	"encoding/base64"
	"encoding/json"

	"github.com/freelancer-matching/service/server/api/validate"
)

// A Cursor is where a page of the list begins. Clients receive it as an opaque text.
type Cursor struct {
	After   string `json:"a"` // ID
	Filters string `json:"f"` // hash of the filters, which must be the same for all pages
}

// Encode returns the cursor as clients receive it.
func (c Cursor) Encode() string {
	text, _ := json.Marshal(c) // texts are always valid
	return base64.RawURLEncoding.EncodeToString(text)
}

// ParseCursor returns the cursor in a text. If the text is no cursor of a response to the same filters, the error is
// added to faults.
func ParseCursor(faults *validate.Faults, text, filters string) (c Cursor) {
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(decoded, &c)
	}
	if err != nil || c.After == "" || c.Filters != filters {
		faults.Add("cursor", "invalid_value",
			"cursor must be the next_cursor of a response to a request with the same filters; "+
				"omit it to begin.")
	}
	return c
}

// PageStart returns the cursor that the parameters of a list ask for, or the beginning; see ParseCursor.
func PageStart(query map[string]string, filters string, faults *validate.Faults) (c Cursor) {
	if text, ok := query["cursor"]; ok {
		c = ParseCursor(faults, text, filters)
	}
	return c
}

// The sizes of a page of a list.
const (
	MaxPage     = 100
	DefaultPage = 50
)

// PageSize returns the size of the page that the parameters of a list ask for.
func PageSize(query map[string]string, faults *validate.Faults) int {
	text, ok := query["limit"]
	if !ok {
		return DefaultPage
	}
	return int(validate.WholeNumber(faults, "limit", text, 1, MaxPage))
}
