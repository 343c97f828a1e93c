package source

import "slices"

// field is what a column holds: a field of a freelancer, or something that only helps to read the row.
type field int

const (
	fieldNone field = iota
	fieldID
	fieldName
	fieldJobTitle
	fieldSkills
	fieldExperience
	fieldRating
	fieldHourlyRate
	fieldProfileURL
	fieldAvailability
	fieldTotalSales
	fieldDescription
	fieldLocation
	fieldEmail    // not stored; identifies a person
	fieldCurrency // of the amounts in the row
	fieldDeleted  // not stored; the freelancer is to be deleted
	fieldCountry
	fieldTimeZone
	fieldLanguages
	fieldAvailableFrom
	fieldHours
	fieldVerified
	fieldCount
)

var fieldNames = [fieldCount]string{
	"", "id", "name", "job_title", "skills", "experience", "rating", "hourly_rate", "profile_url", "availability",
	"total_sales", "description", "location", "email", "currency", "deleted", "country", "time_zone", "languages",
	"available_from", "hours_per_week", "verified",
}

// String returns the name of the field in options and in the table of columns, or "".
func (f field) String() string { return fieldNames[f] }

// fieldNamed returns the field with a name, or fieldNone.
func fieldNamed(name string) field { return field(max(0, slices.Index(fieldNames[:], name))) }

// identityUse says whether a place distinguishes people with the same name and no ID, and whether it is stored.
type identityUse string

// The uses of places. The empty one is both.
const (
	onlyIdentity  identityUse = "only"  // not stored
	neverIdentity identityUse = "never" // only stored
)

// The uses of columns besides codes of languages.
const (
	useNative  = "native" // languages that people speak natively
	useForRate = "rate"   // currencies of hourly rates, whatever the freelancer charges in
)

// isPlace reports whether a field distinguishes people with the same name and no ID.
func (f field) isPlace() bool { return f == fieldLocation || f == fieldCountry }
