// Package zones knows the time zones that a freelancer can have: the names of the IANA time zone database, including
// links such as US/Pacific, and fixed offsets from UTC such as UTC+05:30.
package zones

import (
	_ "embed" // for names.txt
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for machines without a time zone database
)

// names lists the zones of the IANA time zone database, one per line. The database is in the public domain.
//
//go:embed names.txt
var names string

const (
	// Fixed offsets are multiples of step, in minutes, within the limits that occur on Earth.
	step               = 15
	minFixed, maxFixed = -12 * 60, 14 * 60

	day = 24 * 60 // minutes
)

// Zones is a set of time zones. It is safe for concurrent use.
type Zones struct {
	names     []string
	byFolded  map[string]string // lower case → name
	locations func() []*time.Location
}

// New returns the known time zones.
func New() *Zones {
	z := &Zones{names: strings.Fields(names), byFolded: map[string]string{}}
	for _, name := range z.names {
		z.byFolded[strings.ToLower(name)] = name
	}
	z.locations = sync.OnceValue(z.load) // takes some ten milliseconds
	return z
}

// load returns the location of each name, nil for one that this machine's database lacks.
func (z *Zones) load() []*time.Location {
	locations := make([]*time.Location, len(z.names))
	for i, name := range z.names {
		if location, err := time.LoadLocation(name); err == nil {
			locations[i] = location
		}
	}
	return locations
}

// offsetPattern matches UTC+5, GMT-03:00, +0530 and the like.
var offsetPattern = regexp.MustCompile(`^(?i:UTC|GMT)? ?([+−-])(\d{1,2})(?::?(\d{2}))?$`)

// Find returns the canonical form of a zone: an IANA name in its own spelling, whatever the case of the given one, or a
// fixed offset such as UTC+05:30 for UTC+5:30, GMT+5:30 or +0530. It reports whether there is such a zone.
func (z *Zones) Find(zone string) (canonical string, ok bool) {
	zone = strings.TrimSpace(zone)
	if name, ok := z.byFolded[strings.ToLower(zone)]; ok {
		return name, true
	}
	minutes, ok := fixedOffset(zone)
	if !ok {
		return "", false
	}
	if minutes == 0 {
		return "UTC", true
	}
	return fixedName(minutes), true
}

// fixedOffset parses a fixed offset and returns it in minutes.
func fixedOffset(zone string) (minutes int, ok bool) {
	m := offsetPattern.FindStringSubmatch(zone)
	if m == nil {
		return 0, false
	}
	hours, _ := strconv.Atoi(m[2])
	rest, _ := strconv.Atoi(m[3]) // 0 without minutes
	minutes = 60*hours + rest
	if m[1] != "+" {
		minutes = -minutes
	}
	return minutes, rest < 60 && minutes%step == 0 && minFixed <= minutes && minutes <= maxFixed
}

// fixedName returns the name of a fixed offset in minutes.
func fixedName(minutes int) string {
	sign := '+'
	distance := minutes
	if minutes < 0 {
		sign = '-'
		distance = -minutes
	}
	return fmt.Sprintf("UTC%c%02d:%02d", sign, distance/60, distance%60)
}

// Near returns all zones, in canonical form, in which clocks differ from those in the given zone by at most the given
// number of hours at a time. Dates don't count: at UTC+12 and UTC-11, clocks differ by 1 hour. It returns an error if
// there is no such zone.
func (z *Zones) Near(zone string, hours float64, at time.Time) ([]string, error) {
	canonical, ok := z.Find(zone)
	if !ok {
		return nil, fmt.Errorf("unknown time zone %q: use an IANA name such as Europe/Berlin, "+
			"or an offset in steps of %d minutes such as UTC+05:30", zone, step)
	}

	center, ok := z.Offset(canonical, at)
	if !ok {
		return nil, fmt.Errorf("the time zone database of this machine lacks %s", canonical)
	}

	near := func(minutes int) bool {
		distance := (minutes - center + 2*day) % day
		return float64(min(distance, day-distance)) <= math.Round(60*hours)
	}

	locations := z.locations()
	var found []string
	for i, name := range z.names {
		if locations[i] != nil && near(offset(locations[i], at)) {
			found = append(found, name)
		}
	}

	for minutes := minFixed; minutes <= maxFixed; minutes += step {
		if near(minutes) {
			found = append(found, fixedName(minutes))
		}
	}

	return found, nil
}

// Offset returns how far clocks in a zone, in canonical form, are ahead of UTC at a time, in minutes. It reports
// whether there is such a zone in the database of this machine.
func (z *Zones) Offset(canonical string, at time.Time) (minutes int, ok bool) {
	if minutes, ok := fixedOffset(canonical); ok {
		return minutes, true
	}
	i := slices.Index(z.names, canonical)
	if i < 0 {
		return 0, false
	}
	location := z.locations()[i]
	if location == nil {
		return 0, false
	}
	return offset(location, at), true
}

// offset returns the offset from UTC at a time, in minutes.
func offset(location *time.Location, at time.Time) int {
	_, seconds := at.In(location).Zone()
	return seconds / 60
}
