package cli

import (
	"slices"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/setup"
)

// indexList is the result of status for -json.
type indexList struct {
	Place    string             `json:"place"` // where the indexes are, for people
	Live     string             `json:"live"`  // name; empty if no index is live
	Previous string             `json:"previous"`
	Indexes  []indexDescription `json:"indexes"` // the newest first
	// Encoder says how many profiles of the live index are encoded; absent without vectors of the sentence encoder.
	Encoder *encodedProfiles `json:"encoder,omitempty"`
}

// encodedProfiles counts the profiles of the live index that the sentence encoder has encoded.
type encodedProfiles struct {
	Encoded     int   `json:"encoded"`
	Freelancers int   `json:"freelancers"`
	Bytes       int64 `json:"bytes"` // size of the file with the vectors
}

type indexDescription struct {
	Name        string     `json:"name"`
	State       string     `json:"state"` // live, previous, kept, unfinished, damaged, or "live, damaged"
	Complete    bool       `json:"complete"`
	Freelancers int        `json:"freelancers"`
	Bytes       int64      `json:"bytes"`
	Source      string     `json:"source"`
	Currency    string     `json:"currency"`
	Mapping     string     `json:"mapping"`
	Taxonomy    string     `json:"taxonomy"`
	Created     time.Time  `json:"created"`
	Changed     *time.Time `json:"changed,omitempty"` // in place
	Fault       string     `json:"fault,omitempty"`   // why it can't be searched
	// Provenance says which files the index was loaded from, when, by whom and how; absent if that is not recorded.
	Provenance *engine.Provenance `json:"provenance,omitempty"`
}

func describeIndexes(x *setup.Index, infos []engine.Info, live, previous string) indexList {
	list := indexList{Place: x.Describe(), Live: live, Previous: previous, Indexes: []indexDescription{}}
	for _, info := range slices.Backward(infos) {
		d := indexDescription{
			Name:        info.Name,
			State:       indexState(info, live, previous),
			Complete:    info.Complete,
			Freelancers: info.Documents,
			Bytes:       info.Bytes,
			Source:      info.Source,
			Currency:    info.Currency,
			Mapping:     info.Mapping,
			Taxonomy:    info.Taxonomy,
			Created:     info.Created.UTC(),
			Fault:       info.Fault,
			Provenance:  info.Provenance,
		}

		// omitempty leaves out a nil pointer, but not a zero time.
		if !info.Updated.IsZero() {
			changed := info.Updated.UTC()
			d.Changed = &changed
		}

		list.Indexes = append(list.Indexes, d)
	}

	return list
}

// rolledBack is the result of rollback for -json.
type rolledBack struct {
	Live     string `json:"live"`
	Previous string `json:"previous"`
}

// pruned is the result of prune for -json.
type pruned struct {
	Removed  []removedIndex `json:"removed"`
	Kept     []string       `json:"kept"` // the newest first
	Live     string         `json:"live"`
	Previous string         `json:"previous"`
}

type removedIndex struct {
	Name        string `json:"name"`
	Freelancers int    `json:"freelancers"`
	Bytes       int64  `json:"bytes"`
}
