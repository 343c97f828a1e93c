package page

import (
	"fmt"
	"strconv"
	"strings"
)

// AnswerPrefix starts the names of the form fields for answers.
const AnswerPrefix = "answer"

// AnswerField returns the form field for the answer to question i, counted from 0.
func AnswerField(i int) string { return fmt.Sprint(AnswerPrefix, i+1) }

// WeightPrefix starts the names of the form fields for weights.
const WeightPrefix = "weight_"

// RoleField returns the form field for a value of the nth role of a team, counted from 1.
func RoleField(n int, name string) string { return fmt.Sprint("role", n, "_", name) }

// roleField returns the form field that holds the value at a path within roles, such as 0].title for roles[0].title.
func roleField(path string) (field string, ok bool) {
	index, name, ok := strings.Cut(path, "].")
	i, err := strconv.Atoi(index)
	if !ok || err != nil {
		return "", false
	}
	return RoleField(i+1, baseField(name)), true
}

// FormField returns the form field that holds the value at a path of the request body.
func FormField(path string) string {
	if index, ok := strings.CutPrefix(path, "provided_answers["); ok {
		if i, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil {
			return AnswerField(i)
		}
	}

	if rest, ok := strings.CutPrefix(path, "roles["); ok {
		if field, ok := roleField(rest); ok {
			return field
		}
	}

	if feature, ok := strings.CutPrefix(path, "weights."); ok {
		return WeightPrefix + feature
	}

	// One value of the API can be two fields of a form.
	switch path {
	case "budget_range", "budget_range[0]":
		return "budget_low"
	case "filters.time_zone.zone":
		return "time_zone"
	case "filters.time_zone.within_hours":
		return "within_hours"
	case "budget_range[1]":
		return "budget_high"
	}

	return baseField(strings.TrimPrefix(path, "filters."))
}

// baseField returns the form field that holds a list item, such as networks for networks[3].
func baseField(path string) string {
	name, _, _ := strings.Cut(path, "[")
	return name
}
