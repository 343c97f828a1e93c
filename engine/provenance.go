package engine

import (
	"slices"
	"time"
)

// Provenance records where the freelancers of an index came from. A new index gets it between Bulk.Close and
// PointAlias. It holds no data about people and no secrets.
type Provenance struct {
	// Run loaded the files. It is empty if that is unknown because a version without provenance did so.
	Run
	// Changes are the commands that changed the freelancers since: in place, or by copying Base into this index. The
	// oldest is first.
	Changes []Run `json:"changes,omitempty"`
	// ForgottenChanges is the number of changes before those in Changes.
	ForgottenChanges int `json:"forgotten_changes,omitempty"`

	// EditsSince is the time since which changes of clients may be missing in the files of Run: when it started, or
	// earlier if it kept changes. Zero if that is unknown.
	EditsSince time.Time `json:"edits_since,omitzero"`

	Base string `json:"base,omitempty"` // the index that freelancers were copied from; "" if none

	// Freelancers and Coverage describe the index after the last change. Coverage is the number of freelancers with a
	// known value, by the field's name in exports. Nil means that it was not counted.
	Freelancers int            `json:"freelancers"`
	Coverage    map[string]int `json:"coverage,omitempty"`
	// CoverageDrift is the number of freelancers who were replaced or deleted in place since Coverage was counted. If it
	// is above 0, Coverage is an estimate.
	CoverageDrift int `json:"coverage_drift,omitempty"`
}

// A Run is one run of a command that loaded or changed freelancers.
type Run struct {
	Command  string            `json:"command,omitempty"` // create, load, upsert, delete or reindex
	Version  string            `json:"version,omitempty"` // of the program
	User     string            `json:"user,omitempty"`    // who ran it: name@host, or the ID of a key
	Started  time.Time         `json:"started,omitzero"`
	Finished time.Time         `json:"finished,omitzero"`
	Files    []SourceFile      `json:"files,omitempty"`
	Options  map[string]string `json:"options,omitempty"` // flags that differ from their defaults, without secrets
	Mapping  string            `json:"mapping,omitempty"` // of columns to fields, as YAML

	Rows       int `json:"rows,omitempty"`
	Merged     int `json:"merged,omitempty"`     // rows that add to a freelancer who has another row
	Duplicates int `json:"duplicates,omitempty"` // rows that repeat another row
	Conflicts  int `json:"conflicts,omitempty"`  // values that contradicted each other in merged rows
	Rejected   int `json:"rejected,omitempty"`   // rows
	Warnings   int `json:"warnings,omitempty"`
	Added      int `json:"added,omitempty"`    // freelancers
	Replaced   int `json:"replaced,omitempty"` // freelancers
	Deleted    int `json:"deleted,omitempty"`  // freelancers
}

// A SourceFile is one input of a run, as it was read.
type SourceFile struct {
	Name   string `json:"name"`
	Format string `json:"format,omitempty"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"` // hexadecimal; "" if the input has no single content, such as a folder
	Rows   int    `json:"rows"`
	// ETag and LastModified identify the content on the server that sent it. They are empty for other files.
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
}

// MaxProvenanceChanges is the number of changes that a Provenance keeps.
const MaxProvenanceChanges = 20

// With returns a copy of the provenance with another change, without the oldest one if there are too many. p may be
// nil.
func (p *Provenance) With(change *Run) *Provenance {
	next := Provenance{}
	if p != nil {
		next = *p
	}
	next.Changes = append(slices.Clone(next.Changes), *change)
	excess := max(0, len(next.Changes)-MaxProvenanceChanges)
	next.Changes = next.Changes[excess:]
	next.ForgottenChanges += excess
	return &next
}

// Latest returns the last run that loaded or changed freelancers.
func (p *Provenance) Latest() *Run {
	if n := len(p.Changes); n > 0 {
		return &p.Changes[n-1]
	}
	return &p.Run
}
