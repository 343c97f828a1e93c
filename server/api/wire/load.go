package wire

import (
	"regexp"
	"time"

	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/uploads"
)

// LoadOptions say how to read a file and what to do with it. What is missing stays as it is.
type LoadOptions struct {
	Mode        *string       `json:"mode"`
	Currency    *string       `json:"currency"`
	Columns     *[]LoadColumn `json:"columns"`
	MaxFailures *string       `json:"max_failures"`
	AllowKind   *bool         `json:"allow_kind"`
	Sheet       *string       `json:"sheet"`
	SkipLines   *int          `json:"skip_lines"`
	NoHeader    *bool         `json:"no_header"`
	Encoding    *string       `json:"encoding"`
}

// A LoadColumn says which field a column holds.
type LoadColumn struct {
	Column string `json:"column"`
	Number *int   `json:"number"` // its place in the file, from 1
	Field  string `json:"field"`  // empty to leave the column out
}

// The limits of the options of a load.
const (
	maxLoadColumns = 1000
	maxLoadText    = 300
	maxSkipLines   = 10_000
)

var failureLimit = regexp.MustCompile(`^[0-9]{1,9}$|^[0-9]{1,3}(\.[0-9]{1,6})?%$`)

// Apply changes the options of an upload. Errors are added to faults. What only the reader can judge, such as the name
// of a sheet or of a field, it reports when it reads the file.
func (o *LoadOptions) Apply(to *uploads.Options, faults *validate.Faults) {
	if o.Mode != nil {
		validate.OneOf(faults, "mode", o.Mode, string(loading.Replace), string(loading.Upsert))
		to.Mode = loading.Mode(*o.Mode)
	}
	if o.Currency != nil {
		to.Currency = currencyCode(*o.Currency, faults)
	}

	if o.MaxFailures != nil {
		if !failureLimit.MatchString(*o.MaxFailures) {
			faults.Add("max_failures", "invalid_value",
				"max_failures must be a number of rows or a percentage, such as 50 or 5%%.")
		}
		to.MaxFailures = *o.MaxFailures
	}
	if o.SkipLines != nil {
		zero, most := 0, maxSkipLines
		validate.Within(faults, "skip_lines", o.SkipLines, zero, most)
		to.SkipLines = *o.SkipLines
	}

	to.AllowKind = valueOr(o.AllowKind, to.AllowKind)
	to.NoHeader = valueOr(o.NoHeader, to.NoHeader)
	for _, text := range []struct {
		name  string
		value *string
		to    *string
	}{{"sheet", o.Sheet, &to.Sheet}, {"encoding", o.Encoding, &to.Encoding}} {
		if text.value != nil {
			validate.MaxCharacters(faults, text.name, *text.value, maxLoadText)
			*text.to = *text.value
		}
	}

	if o.Columns != nil {
		to.Columns = loadChoices(*o.Columns, faults)
	}
}

// loadChoices returns the choices of columns.
func loadChoices(columns []LoadColumn, faults *validate.Faults) []uploads.Choice {
	if len(columns) > maxLoadColumns {
		faults.Add("columns", "too_many", "columns must have at most %d entries, got %d.", maxLoadColumns, len(columns))
		return nil
	}
	choices := make([]uploads.Choice, len(columns))
	for i, c := range columns {
		validate.MaxCharacters(faults, validate.Join(validate.Index("columns", i), "column"), c.Column, maxLoadText)
		choices[i] = uploads.Choice{Column: c.Column, Field: c.Field}
		if c.Number != nil {
			choices[i].Number = *c.Number
		}
	}
	return choices
}

// A Load is an uploaded file and what became of it.
type Load struct {
	ID          string           `json:"id"`
	State       uploads.State    `json:"state"`
	Server      string           `json:"server"` // that has the file
	File        string           `json:"file"`
	Bytes       uint64           `json:"bytes"`
	Mode        loading.Mode     `json:"mode"`
	CreatedAt   time.Time        `json:"created_at"`
	ExpiresAt   time.Time        `json:"expires_at"`
	Progress    *LoadProgress    `json:"progress"` // null unless work on it runs or waits
	Error       *uploads.Failure `json:"error"`    // null unless it was refused or failed
	Publishable bool             `json:"publishable"`
	Index       NullableString   `json:"index"`    // that it made live; null until then
	Previous    NullableString   `json:"previous"` // that was live before; null if none was
	Preview     *uploads.Preview `json:"preview"`  // null until the file was read, and in a list
}

// LoadProgress says how far the work on a load is.
type LoadProgress struct {
	Stage string `json:"stage"`
	Rows  int    `json:"rows"`
	Bytes uint64 `json:"bytes"`
	Size  uint64 `json:"size"` // 0 if unknown
}

// NewLoad returns an upload as clients see it. Only those who may read the live data learn whom the file lacks.
func NewLoad(u uploads.Upload, mayRead bool) Load {
	if u.Preview != nil && !mayRead {
		preview := *u.Preview
		preview.Changes.GoneIDs = []string{}
		u.Preview = &preview
	}
	l := Load{
		ID: u.ID, State: u.State, Server: u.Server, File: u.File, Bytes: uint64(u.Bytes), Mode: u.Options.Mode,
		CreatedAt: u.Created, ExpiresAt: u.Expires, Error: u.Failure, Publishable: u.MayPublish(),
		Index: NullableString(u.Index), Previous: NullableString(u.Previous), Preview: u.Preview,
	}
	if p := u.Progress; p.Stage != "" {
		l.Progress = &LoadProgress{Stage: p.Stage, Rows: p.Rows, Bytes: uint64(p.Bytes), Size: uint64(p.Size)}
	}
	return l
}

// LoadListAnswer is the response of GET /loads.
type LoadListAnswer struct {
	Status     string         `json:"status"` // success
	Data       []Load         `json:"data"`
	NextCursor NullableString `json:"next_cursor"` // null on the last page
	RequestID  string         `json:"request_id"`
	TookMS     float64        `json:"took_ms"`
}

// A CanceledLoad is the data in the response of DELETE /loads/{id}.
type CanceledLoad struct {
	ID string `json:"id"`
}
