package value

import "strings"

// Email returns the e-mail address in a cell, in lower case, or "" if the cell has anything else, such as an address
// that is partly hidden. It accepts "mailto:" and a name before an address in angle brackets.
func Email(cell string) string {
	cell = strings.TrimSpace(cell)
	if i := strings.LastIndexByte(cell, '<'); i >= 0 {
		cell = strings.TrimSuffix(cell[i+1:], ">")
	}
	const scheme = "mailto:"
	if len(cell) > len(scheme) && strings.EqualFold(cell[:len(scheme)], scheme) {
		cell = cell[len(scheme):]
	}

	user, host, ok := strings.Cut(cell, "@")
	if !ok || user == "" {
		return ""
	}

	isHost := strings.Contains(strings.Trim(host, "."), ".") && !strings.Contains(host, "@")
	hasOther := strings.ContainsAny(cell, " \t\r\n\u00a0*…,;<>()[]") || strings.Contains(cell, "..")
	isAddress := isHost && !hasOther && len(cell) <= maxEmail
	if !isAddress {
		return ""
	}

	return strings.ToLower(cell)
}

// maxEmail is the maximum length of an address in bytes (RFC 5321, section 4.5.3.1.3).
const maxEmail = 254
