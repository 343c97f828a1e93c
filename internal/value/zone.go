package value

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"freelancer-matching/internal/matching"
)

// Remarks on time zones.
const (
	remarkNotZone       = "not a time zone; use a name such as Europe/Berlin or an offset such as UTC+05:30"
	remarkAmbiguousZone = "several time zones have this abbreviation; use a name such as Asia/Kolkata"
)

// maxZone is the length in bytes of the longest text that is searched for a time zone.
const maxZone = 100

// zoneTable has the names of the IANA Time Zone Database, and others for them.
type zoneTable struct {
	names     []string            // sorted
	byKey     map[string]string   // by the name in lower case
	ofCountry map[string][]string // by ISO 3166-1 code
	only      map[string]string   // the zone of countries in which the same time applies everywhere
}

var zones = sync.OnceValue(func() *zoneTable {
	t := &zoneTable{
		byKey: make(map[string]string), ofCountry: make(map[string][]string), only: make(map[string]string),
	}
	for _, e := range load("zones.txt") {
		code, same := strings.CutPrefix(e.list, "same ")
		if code != "other" {
			t.ofCountry[code] = append(t.ofCountry[code], e.items...)
		}
		if same && t.only[code] == "" {
			t.only[code] = e.items[0]
		}
		for _, name := range e.items {
			t.byKey[strings.ToLower(name)] = name
		}
	}
	t.names = slices.Compact(slices.Sorted(maps.Values(t.byKey)))
	for _, e := range load("zonenames.txt") {
		for _, name := range e.items {
			t.byKey[fold(name)] = e.list
		}
	}
	return t
})

// TimeZones returns the names of time zones that TimeZone returns, sorted: all of the IANA Time Zone Database,
// including links.
func TimeZones() []string { return slices.Clone(zones().names) }

// ZoneOf returns the time zone of a country in which the same time applies everywhere, by its ISO 3166-1 code, or "".
func ZoneOf(country string) string { return zones().only[country] }

// TimeZone parses a time zone: a name of the IANA Time Zone Database in any case, an offset such as "UTC+5:30", "GMT-3"
// or "+02:00", an abbreviation that stands for one time zone only, or several of these for the same one, as in
// "(UTC+01:00) Europe/Berlin". It returns the name, "UTC", or an offset such as UTC+05:30.
func TimeZone(s string) (zone, remark string) {
	s = strings.TrimSpace(s)
	switch {
	case Unknown(s):
		return "", ""
	case len(s) > maxZone:
		return "", remarkNotZone
	}
	if zone = zones().named(s); zone != "" {
		return zone, ""
	}
	if zone, ok := parseOffset(s); ok {
		return zone, ""
	}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(" ()[],;", r) }) {
		if name := zones().named(word); strings.Contains(name, "/") && strings.Contains(word, "/") {
			if zone != "" && zone != name {
				return "", remarkNotZone
			}
			zone = name
		}
	}
	if zone == "" {
		zone = zoneBesideOffset(s)
	}
	switch {
	case zone != "":
		return zone, ""
	case len(s) <= len("NZST") && strings.Trim(strings.ToUpper(s), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
		return "", remarkAmbiguousZone
	}
	return "", remarkNotZone
}

// named returns the zone with a name, or "".
func (t *zoneTable) named(s string) string {
	key := fold(strings.TrimSpace(s))
	if zone := t.byKey[key]; zone != "" {
		return zone
	}
	return t.byKey[strings.ReplaceAll(key, " ", "_")]
}

// zoneBesideOffset returns the zone of a text with an offset and a name, as in "(UTC-05:00) Eastern Time (US & Canada)"
// and "CET (UTC+1)". If the name is unknown, the offset counts.
func zoneBesideOffset(s string) string {
	text := offsetSigns.Replace(fold(s))
	start := max(strings.Index(text, "utc"), strings.Index(text, "gmt"))
	if start < 0 {
		return ""
	}
	end := start + len("utc")
	for end < len(text) && strings.IndexByte("0123456789:.+- ", text[end]) >= 0 {
		end++
	}
	offset, ok := parseOffset(text[start:end])
	name := strings.Trim(text[:start]+" "+text[end:], " ()[]-,:")
	if !ok || strings.Contains(name, "utc") || strings.ContainsAny(name, "0123456789") {
		return ""
	}
	for _, bracket := range []string{"", ")"} { // the one that Trim has removed
		if zone := zones().named(name + bracket); zone != "" {
			return zone
		}
	}
	return offset
}

// offsetSigns replaces signs that stand for plus and minus.
var offsetSigns = strings.NewReplacer("−", "-", "–", "-", "±", "+")

// The offsets from UTC that are in use, in minutes.
const minOffset, maxOffset = -12 * 60, 14 * 60

// parseOffset parses an offset from UTC as in "UTC+5:30", "GMT-3", "+0200" and "(UTC+5.5)".
func parseOffset(s string) (zone string, ok bool) {
	s = strings.ReplaceAll(offsetSigns.Replace(fold(strings.Trim(s, "() "))), " ", "")
	rest := strings.TrimPrefix(strings.TrimPrefix(s, "utc"), "gmt")
	if rest == "" {
		return "UTC", s != ""
	}
	if len(rest) < len("+1") || rest[0] != '+' && rest[0] != '-' {
		return "", false
	}
	minutes, ok := offsetMinutes(rest[1:])
	if rest[0] == '-' {
		minutes = -minutes
	}
	switch {
	case !ok || minutes < minOffset || minutes > maxOffset:
		return "", false
	case minutes == 0:
		return "UTC", true
	}
	return fmt.Sprintf("UTC%c%02d:%02d", rest[0], abs(minutes)/60, abs(minutes)%60), true
}

func abs(n int) int { return max(n, -n) }

// offsetMinutes parses an offset without its sign: "5", "05", "5:30", "0530" or "5.5".
func offsetMinutes(s string) (minutes int, ok bool) {
	hours, rest, _ := strings.Cut(s, ":")
	switch {
	case strings.Contains(s, "."):
		n, err := strconv.ParseFloat(s, 64)
		minutes = int(n * 60)
		return minutes, err == nil && n <= 14 && float64(minutes) == n*60 && minutes%15 == 0
	case rest == "" && len(hours) == len("0530"):
		hours, rest = s[:2], s[2:]
	}
	h, ok := smallNumber(hours)
	m, isNumber := smallNumber(rest)
	switch {
	case rest == "":
		return h * 60, ok && len(hours) <= 2
	case len(rest) != 2 || m%15 != 0 || m > 45:
		return 0, false
	}
	return h*60 + m, ok && isNumber && len(hours) <= 2
}

// Complete sets the country of a person from their location, and the time zone from the country, if they are unknown
// and the known value leaves no doubt. It returns the names of the fields that it set.
func Complete(d *matching.Details) (derived []string) {
	if d.Country == "" && d.Location != "" {
		if d.Country = CountryOf(d.Location); d.Country != "" {
			derived = append(derived, "country")
		}
	}
	if d.TimeZone == "" && d.Country != "" {
		if d.TimeZone = ZoneOf(d.Country); d.TimeZone != "" {
			derived = append(derived, "time_zone")
		}
	}
	return derived
}
