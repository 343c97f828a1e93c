package rows

import (
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

// Derived is a set of values that a row doesn't state, but that others in the row leave no doubt about.
type Derived uint8

// The values that can be derived.
const (
	CountryFromLocation Derived = 1 << iota
	ZoneFromCountry
	HoursFromAvailability
	DateFromAvailability
	AvailabilityFromDate
)

var derivedNames = [...]string{
	"country from location", "time_zone from country", "hours_per_week from availability",
	"available_from from availability", "availability from available_from",
}

// Names returns the values as shown in reports.
func (d Derived) Names() (names []string) {
	for i, name := range derivedNames {
		if d&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Derive sets the country and the time zone if they are unknown and other details leave no doubt about them.
func Derive(d *matching.Details) (derived Derived) {
	country, zone := value.Complete(d)
	if country {
		derived |= CountryFromLocation
	}
	if zone {
		derived |= ZoneFromCountry
	}
	return derived
}

// clear removes a derived country and time zone.
func (d Derived) clear(details *matching.Details) {
	if d&CountryFromLocation != 0 {
		details.Country = ""
	}
	if d&ZoneFromCountry != 0 {
		details.TimeZone = ""
	}
}
