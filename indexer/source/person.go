package source

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"freelancer-matching/indexer/source/value"
	"freelancer-matching/internal/matching"
)

// makeID is an id that a person has in every load: of the profile's address, else of the name and place; "" without
// either. With 64 bits of SHA-256, two of a million people share an id in one of 37 million data sets.
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

// Merge adds to a freelancer what another row says about the same person: skills it does not have yet, in their
// order; the first known value of every other field; the longest description.
func Merge(into, other *matching.Freelancer) {
	into.Skills = union(into.Skills, other.Skills)
	if len(other.Description) > len(into.Description) {
		into.Description = other.Description
	}
	for _, text := range []struct {
		into  *string
		other string
	}{{&into.ID, other.ID}, {&into.Name, other.Name}, {&into.JobTitle, other.JobTitle}, {&into.ProfileURL, other.ProfileURL}} {
		if *text.into == "" {
			*text.into = text.other
		}
	}
	keep(&into.Experience, other.Experience)
	keep(&into.Rating, other.Rating)
	keep(&into.HourlyRate, other.HourlyRate)
	keep(&into.Availability, other.Availability)
	keep(&into.TotalSales, other.TotalSales)
}

// keep takes the other value where there is none yet.
func keep[T any](into *matching.Optional[T], other matching.Optional[T]) {
	if !into.Known {
		*into = other
	}
}

// union appends the skills that the list does not have yet, up to the most that a freelancer may have.
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
