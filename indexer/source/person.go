package source

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"freelancer-matching/indexer/source/value"
	"freelancer-matching/internal/matching"
)

// makeID returns an ID that is the same in every load: a hash of the profile URL, or else of name and location. It
// returns "" if there is neither. The hash has 64 bits, so that two of a million people get the same ID in one of 37
// million data sets.
func makeID(url, name, location string) string {
	var key string
	switch {
	case url != "":
		_, key, _ = strings.Cut(url, "://")
		key, _, _ = strings.Cut(key, "#")
		key = strings.TrimSuffix(key, "/")
	case name != "":
		key = strings.ToLower(name) + "\n" + strings.ToLower(location)
	default:
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return "fl-" + hex.EncodeToString(sum[:8])
}

// Merge adds to a freelancer what another row says about the same person: new skills, values of fields that are still
// unknown, and the description if it is longer.
func Merge(into, other *matching.Freelancer) {
	into.ID = cmp.Or(into.ID, other.ID)
	into.Name = cmp.Or(into.Name, other.Name)
	into.JobTitle = cmp.Or(into.JobTitle, other.JobTitle)
	into.ProfileURL = cmp.Or(into.ProfileURL, other.ProfileURL)
	into.Skills = union(into.Skills, other.Skills)
	if len(other.Description) > len(into.Description) {
		into.Description = other.Description
	}
	keepKnown(&into.Experience, other.Experience)
	keepKnown(&into.Rating, other.Rating)
	keepKnown(&into.HourlyRate, other.HourlyRate)
	keepKnown(&into.Availability, other.Availability)
	keepKnown(&into.TotalSales, other.TotalSales)
}

// keepKnown sets a value that is unknown so far.
func keepKnown[T any](into *matching.Optional[T], other matching.Optional[T]) {
	if !into.Known {
		*into = other
	}
}

// union appends the skills that are not in the list yet, up to value.MaxSkills.
func union(skills, more []string) []string {
	if len(skills) == 0 {
		return more
	}
	for _, skill := range more {
		if len(skills) >= value.MaxSkills {
			break
		}
		if !value.ContainsSkill(skills, skill) {
			skills = append(skills, skill)
		}
	}
	return skills
}
