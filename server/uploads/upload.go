// Package uploads loads files that clients send: it stores a file in the data folder, has it read and compared with the
// live index, publishes it when its owner asks for that, and takes it back. One file is read or published at a time.
package uploads

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/matching"
)

// A State says how far an upload is.
type State string

// The states of an upload.
const (
	Reading    State = "reading"     // or waiting for its turn
	Ready      State = "ready"       // to be published
	Refused    State = "refused"     // by a check of the data; Failure says which
	Failed     State = "failed"      // for another reason
	Publishing State = "publishing"  // or waiting for its turn
	Live       State = "live"        // the file was removed
	RolledBack State = "rolled_back" // it was live; the file was removed
)

// HasFile reports whether an upload in the state has a file, and is the one that its account may have.
func (s State) HasFile() bool { return s != Live && s != RolledBack }

// isBusy reports whether an upload in the state has work that runs or waits.
func (s State) isBusy() bool { return s == Reading || s == Publishing }

// An Upload is a file, and what became of it.
type Upload struct {
	ID      string    `json:"id"`
	Account string    `json:"account"`
	Actor   string    `json:"actor"` // ID of the user or the key that sent the file
	Server  string    `json:"server"`
	File    string    `json:"file"` // name for display
	Bytes   int64     `json:"bytes"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	Options Options   `json:"options"`
	State   State     `json:"state"`
	Failure *Failure  `json:"failure,omitempty"`
	// Preview is nil until the file was read. After a failure, it covers what was read.
	Preview *Preview `json:"preview,omitempty"`
	// Publishable reports whether the last reading found something to publish.
	Publishable bool   `json:"publishable"`
	AllowShrink bool   `json:"allow_shrink,omitempty"` // of the last request to publish
	Index       string `json:"index,omitempty"`        // that the upload made live
	Previous    string `json:"previous,omitempty"`     // that was live before; empty if none was

	Progress Progress `json:"-"`
}

// MayPublish reports whether the upload can be published now.
func (u *Upload) MayPublish() bool { return u.Publishable && u.State.HasFile() && !u.State.isBusy() }

// Options say how to read a file, and what to do with it.
type Options struct {
	Mode     loading.Mode `json:"mode"`               // loading.Replace or loading.Upsert
	Currency string       `json:"currency,omitempty"` // ISO 4217; empty for that of the live index, or USD
	// Columns say which field a column holds. Those that are missing are recognized by the reader.
	Columns     []Choice `json:"columns,omitempty"`
	MaxFailures string   `json:"max_failures,omitempty"` // rows that may be rejected, as N or P%; empty for the default
	AllowKind   bool     `json:"allow_kind,omitempty"`   // read files that look like job postings, gigs or products
	Sheet       string   `json:"sheet,omitempty"`        // of a workbook, or the file in a zip archive
	SkipLines   int      `json:"skip_lines,omitempty"`   // before the header
	NoHeader    bool     `json:"no_header,omitempty"`
	Encoding    string   `json:"encoding,omitempty"` // of text; empty to detect it
}

// A Choice is what a person chose for a column.
type Choice struct {
	Column string `json:"column"`           // its header
	Number int    `json:"number,omitempty"` // its place in the file, from 1, if several columns have this header
	Field  string `json:"field"`            // empty to leave the column out
}

// A Failure says why an upload was refused or failed.
type Failure struct {
	Code    string `json:"code"` // as in the documents of indexer -json, or one of the codes below
	Message string `json:"message"`
}

// The codes of failures that the indexer doesn't have.
const (
	CodeUnreadable  = "unreadable_file" // not a table, or without known columns
	CodeTooSlow     = "time_limit"
	CodeInterrupted = "interrupted" // by a restart of the server
	CodeWouldShrink = "would_shrink"
	codeFailed      = "failed"
)

// Progress says how far the work on an upload is.
type Progress struct {
	Stage string `json:"stage"` // waiting, or a bulk.Stage
	Rows  int    `json:"rows"`  // handled in this stage
	Bytes int64  `json:"bytes"` // read in this stage; 0 if unknown
	Size  int64  `json:"size"`  // to be read in this stage; 0 if unknown
}

// StageWaiting is the stage of an upload whose turn hasn't come.
const StageWaiting = "waiting"

// A Preview says what a file has and what publishing it would change. Its lists are never nil.
type Preview struct {
	Format     string   `json:"format"`
	Currency   string   `json:"currency"`
	Columns    []Column `json:"columns"`
	Notes      []string `json:"notes"`
	Rows       Rows     `json:"rows"`
	Changes    Changes  `json:"changes"`
	Before     *Figures `json:"before"`     // of the live index; nil if there is none
	After      *Figures `json:"after"`      // nil if the file could not be read to its end
	Losses     []string `json:"losses"`     // for which publishing needs permission
	Warnings   []Reason `json:"warnings"`   // values that were left unknown or cut
	Rejections []Reason `json:"rejections"` // of rows
	Rejected   []Row    `json:"rejected_rows"`
}

// A Column is a column of a file and how it is used.
type Column struct {
	Header       string   `json:"header"`
	Number       int      `json:"number"`        // its place in the file, from 1
	Field        string   `json:"field"`         // empty if the column is not used
	RecognizedBy string   `json:"recognized_by"` // empty if it was not recognized
	Doubt        string   `json:"doubt"`         // why it may hold something else; empty if there is no doubt
	Note         string   `json:"note"`          // how the values are read, or why they are not
	Examples     []string `json:"examples"`
}

// Rows counts the rows of a file. Read is the sum of the others.
type Rows struct {
	Read        int `json:"read"`
	Freelancers int `json:"freelancers"` // distinct people in the usable rows
	Merged      int `json:"merged"`
	Duplicates  int `json:"duplicates"`
	Deletions   int `json:"deletions"`
	Rejected    int `json:"rejected"`
	Skipped     int `json:"skipped"`
	Erased      int `json:"erased"`
}

// Changes counts the freelancers whom publishing would add, change or remove, and has the first IDs of each kind.
type Changes struct {
	New        int      `json:"new"`
	Changed    int      `json:"changed"`
	Unchanged  int      `json:"unchanged"` // with those whom the file doesn't have and an upsert keeps
	Gone       int      `json:"gone"`
	NewIDs     []string `json:"new_ids"`
	ChangedIDs []string `json:"changed_ids"`
	GoneIDs    []string `json:"gone_ids"`
}

// Figures count freelancers, and those with a known value in each field.
type Figures struct {
	Freelancers int            `json:"freelancers"`
	Known       map[string]int `json:"known"`
}

// A Reason counts what is wrong with values or rows.
type Reason struct {
	Column   string    `json:"column"` // empty if whole rows are concerned
	Reason   string    `json:"reason"`
	Count    int       `json:"count"`
	Examples []Example `json:"examples"`
}

// An Example is one place where a reason was found.
type Example struct {
	Line  int    `json:"line"`
	Value string `json:"value"`
}

// A Row is a rejected row.
type Row struct {
	Line   int     `json:"line"`
	Faults []Fault `json:"faults"`
}

// A Fault is one thing wrong with a row.
type Fault struct {
	Column string `json:"column"` // empty if the whole row is concerned
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

// forget removes what the preview quotes of the file.
func (p *Preview) forget() *Preview {
	if p == nil {
		return nil
	}
	kept := *p
	kept.Rejected = []Row{}
	for _, ids := range []*[]string{&kept.Changes.NewIDs, &kept.Changes.ChangedIDs, &kept.Changes.GoneIDs} {
		*ids = []string{}
	}
	kept.Columns = slices.Clone(p.Columns)
	for i := range kept.Columns {
		kept.Columns[i].Examples = []string{}
	}
	kept.Warnings = forgetValues(p.Warnings)
	kept.Rejections = forgetValues(p.Rejections)
	return &kept
}

func forgetValues(reasons []Reason) []Reason {
	kept := slices.Clone(reasons)
	for i := range kept {
		kept[i].Examples = slices.Clone(kept[i].Examples)
		for j := range kept[i].Examples {
			kept[i].Examples[j].Value = ""
		}
	}
	return kept
}

// The codes of errors for clients.
const (
	CodeNotFound  matching.Code = "load_not_found"
	CodePending   matching.Code = "load_pending"      // the account has another one
	CodeState     matching.Code = "load_state"        // the operation doesn't fit the state of the load
	CodeShrink    matching.Code = "load_would_shrink" // publishing needs permission
	CodeElsewhere matching.Code = "load_elsewhere"    // another server has the file
	CodeTooMany   matching.Code = "too_many_loads"
)

func errNotFound() error {
	return &matching.Error{
		Code:    CodeNotFound,
		Message: "There is no such load. Loads are forgotten a day after their upload. Upload the file again.",
	}
}

// errState returns the error for an operation that doesn't fit an upload. next says what to do instead.
func errState(u *Upload, next string) error {
	return &matching.Error{Code: CodeState, Message: fmt.Sprintf("The load is in the state %s. %s", u.State, next)}
}

func errShrink(falls []string) error {
	return &matching.Error{
		Code: CodeShrink,
		Message: fmt.Sprintf("Publishing would lose much of the live data: %s. If that is right, set allow_shrink.",
			strings.Join(falls, "; ")),
	}
}
