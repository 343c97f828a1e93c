package engine

import "time"

// Provenance records where the freelancers of an index came from. A new index gets it between Bulk.Close and
// PointAlias; changes in place are appended. It holds no data about people and no secrets.
type Provenance struct {
	Command  string    `json:"command"` // the command that built the index, such as load or reindex
	Version  string    `json:"version,omitempty"`
	User     string    `json:"user,omitempty"` // who ran it, as name@host
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	Base     string    `json:"base,omitempty"` // the index that freelancers were copied from; "" if none

	Files   []SourceFile      `json:"files,omitempty"`
	Options map[string]string `json:"options,omitempty"` // flags that differ from their defaults, without secrets
	Mapping string            `json:"mapping,omitempty"` // of columns to fields, as YAML

	Rows        int `json:"rows"`
	Freelancers int `json:"freelancers"` // in the index
	Merged      int `json:"merged"`      // rows that were merged into another row's freelancer
	Conflicts   int `json:"conflicts"`   // values that contradicted each other in merged rows
	Rejected    int `json:"rejected"`    // rows
	Warnings    int `json:"warnings"`

	// Coverage is the number of freelancers with a known value, by the field's name in exports. Nil means that it was not
	// counted. Changes in place keep it and Freelancers current.
	Coverage map[string]int `json:"coverage,omitempty"`

	Changes []ProvenanceChange `json:"changes,omitempty"` // in place, the oldest first
	// ForgottenChanges is the number of changes before those in Changes.
	ForgottenChanges int `json:"forgotten_changes,omitempty"`
}

// A SourceFile is one input of a load, exactly as it was read.
type SourceFile struct {
	Name   string `json:"name"`
	Format string `json:"format,omitempty"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"` // hexadecimal; "" if the input has no single content, such as a folder
	Rows   int    `json:"rows"`
}

// A ProvenanceChange is one change of an index in place.
type ProvenanceChange struct {
	Command  string            `json:"command"`
	Version  string            `json:"version,omitempty"`
	User     string            `json:"user,omitempty"`
	Started  time.Time         `json:"started,omitzero"`
	Finished time.Time         `json:"finished,omitzero"`
	Files    []SourceFile      `json:"files,omitempty"`
	Options  map[string]string `json:"options,omitempty"`
	Mapping  string            `json:"mapping,omitempty"`
	Rows     int               `json:"rows"`
	Added    int               `json:"added"`
	Replaced int               `json:"replaced"`
	Deleted  int               `json:"deleted"`
	Rejected int               `json:"rejected"`
}

// MaxProvenanceChanges is the number of changes in place that a Provenance keeps.
const MaxProvenanceChanges = 20

// AddChange appends a change, and forgets the oldest one if there are too many.
func (p *Provenance) AddChange(c ProvenanceChange) { //nolint:gocritic // called once per command
	changes := append(p.Changes[:len(p.Changes):len(p.Changes)], c)
	excess := max(0, len(changes)-MaxProvenanceChanges)
	p.Changes = changes[excess:]
	p.ForgottenChanges += excess
}
