package value

import "github.com/freelancer-matching/service/internal/matching"

// Number returns the parser of a field of numbers. There is no common one, because a unit such as "years" means
// something in one field only. It panics if a field has none.
func Number(field *matching.Field) func(cell string) (matching.Optional[float64], string) {
	switch field.Name {
	case "experience":
		return Years
	case "hours_per_week":
		return HoursPerWeek
	default:
		panic("the field " + field.Name + " needs a case in value.Number")
	}
}

// YesNo returns the parser of a field of flags.
func YesNo(field *matching.Field) func(cell string) (matching.Optional[bool], string) {
	if field.Name == "verified" {
		return Verified
	}
	return Flag
}
