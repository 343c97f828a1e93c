package validate

import (
	"fmt"
	"strconv"
)

// Quote returns a client's text in quotation marks, shortened to be repeated in a message.
func Quote(text string) string { return fmt.Sprintf("%q", cut(text, 40)) }

// Shorten returns a client's field name, shortened if it is longer than any known one.
func Shorten(name string) string { return cut(name, 60) }

func cut(text string, characters int) string {
	if runes := []rune(text); len(runes) > characters {
		return string(runes[:characters]) + "…"
	}
	return text
}

// Index returns the path of an item of a list.
func Index(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// Join returns the path of a member of an object; that of the body is "".
func Join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}
