package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/freelancer-matching/service/indexer/format"
)

// eventNames returns the events that webhook endpoints can ask for. The server checks names, because a newer one may
// have more events.
func eventNames() []string {
	return []string{
		"freelancer.changed", "freelancer.erased", "load.live", "load.refused", "quota.nearly_exhausted", "key.expiring",
		"brief.entered", "brief.left", "brief.available",
	}
}

// A change is an entry of the feed of changes.
type change struct {
	Sequence int64     `json:"sequence"`
	Kind     string    `json:"kind"`
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	Load     *struct {
		Index       string `json:"index"`
		Command     string `json:"command"`
		Freelancers int    `json:"freelancers"`
	} `json:"load"`
}

// String returns what was done, and to whom.
func (e *change) String() string {
	if e.Load != nil {
		return fmt.Sprintf("%s by %s: %s in %s", e.Kind, e.Load.Command,
			format.Count(e.Load.Freelancers, "freelancer", "freelancers"), e.Load.Index)
	}
	return strings.TrimSpace(e.Kind + " " + e.ID)
}

// A message is the part of a webhook's body that is printed.
type message struct {
	Type string `json:"type"`
	Test bool   `json:"test"`
	Data struct {
		Changes     []change     `json:"changes"`
		Index       string       `json:"index"`
		Command     string       `json:"command"`
		Freelancers int          `json:"freelancers"`
		File        string       `json:"file"`
		Message     string       `json:"message"`
		KeyID       string       `json:"key_id"`
		Name        string       `json:"name"`
		Used        int          `json:"used"`
		Limit       int          `json:"limit"`
		ExpiresAt   time.Time    `json:"expires_at"`
		Entries     []briefEntry `json:"entries"`
	} `json:"data"`
}

// A briefEntry is somebody whose place on the list of a saved brief has changed.
type briefEntry struct {
	Brief      string `json:"brief_name"`
	Freelancer string `json:"freelancer_id"`
}

func (e *briefEntry) String() string { return e.Freelancer + " of " + e.Brief }

// String returns what the message is about in a few words, and "" for an unknown type.
func (m *message) String() string {
	text := ""
	d := &m.Data
	switch m.Type {
	case "freelancer.changed", "freelancer.erased":
		text = summarize(d.Changes, (*change).String)
	case "load.live":
		text = fmt.Sprintf("%s: %s in %s", d.Command, format.Count(d.Freelancers, "freelancer", "freelancers"), d.Index)
	case "load.refused":
		text = d.File + ": " + d.Message
	case "quota.nearly_exhausted":
		text = fmt.Sprintf("%s has used %s of %s requests", d.KeyID, format.Number(d.Used), format.Number(d.Limit))
	case "key.expiring":
		text = fmt.Sprintf("%s (%s) expires on %s", d.KeyID, d.Name, d.ExpiresAt.Format(time.DateOnly))
	case "brief.entered", "brief.left", "brief.available":
		text = summarize(d.Entries, (*briefEntry).String)
	}

	if m.Test {
		text = joinNonEmpty(" ", "test,", text)
	}
	return text
}

// summarize describes the first of several things, and says how many more there are.
func summarize[T any](things []T, describe func(*T) string) string {
	const shown = 3
	var parts []string
	for i := range things[:min(shown, len(things))] {
		parts = append(parts, describe(&things[i]))
	}
	if more := len(things) - shown; more > 0 {
		parts = append(parts, format.Number(more)+" more")
	}
	return strings.Join(parts, ", ")
}
