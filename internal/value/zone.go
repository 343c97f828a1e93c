package value

import (
	"strings"
	"sync"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/zones"
)

// Remarks on time zones.
const (
	remarkNotZone       = "not a time zone; use a name such as Europe/Berlin or an offset such as UTC+05:30"
	remarkAmbiguousZone = "several time zones have this abbreviation; use a name such as Asia/Kolkata"
)

// maxZone is the length in bytes of the longest text that is searched for a time zone.
const maxZone = 100

// zoneTable has names of time zones besides those of package zones, and the zones of countries.
type zoneTable struct {
	*zones.Zones
	byName    map[string]string // by folded name
	ofCountry map[string]string // by ISO 3166-1 code; "" for a country with several
}

var zoneNames = sync.OnceValue(func() *zoneTable {
	t := &zoneTable{Zones: zones.New(), byName: make(map[string]string), ofCountry: make(map[string]string)}
	for _, e := range load("countryzones.txt") {
		for _, item := range e.items {
			if e.list == "several" || e.list == "none" {
				t.ofCountry[item] = ""
			} else {
				t.ofCountry[e.list] = item
			}
		}
	}
	for _, e := range load("zonenames.txt") {
		for _, name := range e.items {
			t.byName[fold(name)] = e.list
		}
	}
	return t
})

// ZoneOf returns the time zone of a country in which the same time applies everywhere, by its ISO 3166-1 code, or "".
func ZoneOf(country string) string { return zoneNames().ofCountry[country] }

// TimeZone parses a time zone: a name of the IANA Time Zone Database in any case, an offset such as "UTC+5:30", "GMT-3"
// or "+02:00", an abbreviation that stands for one time zone only, or several of these for the same one, as in
// "(UTC+01:00) Europe/Berlin". It returns the name, "UTC", or an offset such as UTC+05:30.
func TimeZone(cell string) (zone, remark string) {
	cell = strings.TrimSpace(cell)
	switch {
	case Unknown(cell):
		return "", ""
	case len(cell) > maxZone:
		return "", remarkNotZone
	}

	if zone = zoneNames().named(cell); zone != "" {
		return zone, ""
	}
	if zone, ok := parseOffset(cell); ok {
		return zone, ""
	}

	// Among other words, only a full name such as Europe/Berlin is certain. Two different ones cancel each other.
	for word := range strings.FieldsFuncSeq(cell, func(r rune) bool { return strings.ContainsRune(" ()[],;", r) }) {
		if name := zoneNames().named(word); strings.Contains(name, "/") && strings.Contains(word, "/") {
			if zone != "" && zone != name {
				return "", remarkNotZone
			}
			zone = name
		}
	}

	if zone == "" {
		zone = zoneBesideOffset(cell)
	}

	switch {
	case zone != "":
		return zone, ""
	case len(cell) <= len("NZST") && strings.Trim(strings.ToUpper(cell), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
		return "", remarkAmbiguousZone
	}

	return "", remarkNotZone
}

// named returns the zone with a name, or "".
func (t *zoneTable) named(s string) string {
	s = strings.TrimSpace(s)
	if zone := t.byName[fold(s)]; zone != "" {
		return zone
	}
	if zone, ok := t.Find(strings.ReplaceAll(s, " ", "_")); ok {
		return zone
	}
	return ""
}

// zoneBesideOffset returns the zone of a text with an offset and a name, as in "(UTC-05:00) Eastern Time (US & Canada)"
// and "CET (UTC+1)". If the name is unknown, the offset counts.
func zoneBesideOffset(cell string) string {
	text := offsetSigns.Replace(fold(cell))
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
	hasAnother := strings.Contains(name, "utc") || strings.ContainsAny(name, "0123456789")
	if !ok || hasAnother {
		return ""
	}

	for _, bracket := range []string{"", ")"} { // the one that Trim has removed
		if zone := zoneNames().named(name + bracket); zone != "" {
			return zone
		}
	}

	return offset
}

// offsetSigns replaces signs that stand for plus and minus.
var offsetSigns = strings.NewReplacer("−", "-", "–", "-", "±", "+")

// fractions has the parts of an hour in offsets.
var fractions = strings.NewReplacer(".25", ":15", ".50", ":30", ".5", ":30", ".75", ":45", " ", "")

// parseOffset parses an offset from UTC as in "UTC+5:30", "GMT -3", "+0200" and "(UTC+5.5)".
func parseOffset(s string) (zone string, ok bool) {
	s = fractions.Replace(offsetSigns.Replace(fold(strings.Trim(s, "() "))))
	if !strings.ContainsAny(s, "+-") {
		return "UTC", s == "utc" || s == "gmt"
	}
	if zone, ok = zoneNames().Find(s); ok && !strings.HasPrefix(zone, "UTC") {
		return "", false // a name, such as GMT+0
	}
	return zone, ok
}

// Complete sets the country of a person from their location, and the time zone from the country, if they are unknown
// and the known value leaves no doubt. It reports which fields it has set.
func Complete(d *matching.Details) (country, zone bool) {
	if d.Country == "" {
		d.Country = CountryOf(d.Location)
		country = d.Country != ""
	}
	if d.TimeZone == "" {
		d.TimeZone = ZoneOf(d.Country)
		zone = d.TimeZone != ""
	}
	return country, zone
}
