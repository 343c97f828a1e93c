// Package field has the fields of a freelancer that the columns of a file can hold.
package field

import (
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// Field is what a column holds: a field of a freelancer, or something that only helps to read the row.
type Field int

// The fields. None is the zero value, and Count the number of fields with it. The fields from Plain on have no
// constants, because nothing but their own cells matters.
const (
	None Field = iota
	ID
	Name
	JobTitle
	Skills
	Experience
	Rating
	HourlyRate
	ProfileURL
	Availability
	TotalSales
	Description
	Location
	Email    // not stored; identifies a person
	Currency // of the amounts in the row
	Deleted  // not stored; the freelancer is to be deleted
	Country
	TimeZone
	Languages
	AvailableFrom
	Plain
)

// Count is the number of fields: those of matching.Fields, None, ID, Email and Deleted.
const Count = Field(len(matching.Fields) + 4)

// Names are the names of the fields in options and in the table of columns; that of None is empty.
var Names = names()

func names() (names [Count]string) {
	known := [Plain]string{
		"", "id", "name", "job_title", "skills", "experience", "rating", "hourly_rate", "profile_url", "availability",
		"total_sales", "description", "location", "email", "currency", "deleted", "country", "time_zone", "languages",
		"available_from",
	}
	copy(names[:], known[:])

	next := Plain
	for i := range matching.Fields {
		if name := matching.Fields[i].Name; !slices.Contains(known[:], name) {
			names[next] = name
			next++
		}
	}

	return names
}

// String returns the name of the field in options and in the table of columns, or "".
func (f Field) String() string { return Names[f] }

// Named returns the field with a name, or None.
func Named(name string) Field { return Field(max(0, slices.Index(Names[:], name))) }

// Identity says whether a place distinguishes people with the same name and no ID, and whether it is stored.
type Identity string

// The uses of places. The empty one is both.
const (
	OnlyIdentity  Identity = "only"  // not stored
	NeverIdentity Identity = "never" // only stored
)

// The uses of columns besides codes of languages.
const (
	UseNative  = "native" // languages that people speak natively
	UseForRate = "rate"   // currencies of hourly rates, whatever the freelancer charges in
)

// IsPlace reports whether a field distinguishes people with the same name and no ID.
func (f Field) IsPlace() bool { return f == Location || f == Country }
