package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/records"
)

const (
	// mappingsDir is the folder for mapping files in the data folder, which operators fill.
	mappingsDir = "mappings"
	// mappingSuffix ends the names of mapping files.
	mappingSuffix = ".yaml"
	// maxListed is the number of mappings that an error names.
	maxListed = 20
	// fieldMapping is the query parameter in errors.
	fieldMapping = "mapping"
)

// mappingName is what the names of mappings look like. None of them leads out of the folder.
var mappingName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// mappingFiles implements records.Mappings with the mapping files in a folder. A file is read for each request, so that
// a change of it needs no restart.
type mappingFiles struct {
	folder string
	rates  *exchange.File // nil if the server has none
	now    func() time.Time
}

// Open implements records.Mappings.
func (m *mappingFiles) Open(name string, isPatch bool) (records.Mapping, error) {
	if !mappingName.MatchString(name) {
		return nil, m.unknown(name)
	}
	content, err := os.ReadFile(filepath.Join(m.folder, name+mappingSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, m.unknown(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the mapping %s: %w", name, err)
	}

	// The currency of the data set is known with the first line only, and whether the mapping is valid doesn't depend on
	// it.
	opened := &lineMapping{files: m, content: content, isPatch: isPatch}
	if err := opened.readIn(loading.DefaultCurrency); err != nil {
		return nil, mappingFault("invalid_value", "The mapping %s can't be used for lines: %s.", name, err)
	}

	return opened, nil
}

// unknown returns the error for a name that no mapping has.
func (m *mappingFiles) unknown(name string) error {
	names, err := m.names()
	if err != nil {
		return fmt.Errorf("list the mappings: %w", err)
	}
	if len(names) == 0 {
		return mappingFault("unknown_value", "There is no mapping %.80q. The server has none; its operator adds files to "+
			"the folder %s of the data folder.", name, mappingsDir)
	}

	more := ""
	if beyond := len(names) - maxListed; beyond > 0 {
		names = names[:maxListed]
		more = fmt.Sprintf(" and %d more", beyond)
	}
	return mappingFault("unknown_value", "There is no mapping %.80q. The mappings are %s%s.", name,
		strings.Join(names, ", "), more)
}

// names returns the names of the mappings in alphabetical order.
func (m *mappingFiles) names() (names []string, err error) {
	files, err := os.ReadDir(m.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, file := range files {
		name, isMapping := strings.CutSuffix(file.Name(), mappingSuffix)
		if isMapping && mappingName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

func mappingFault(code, format string, args ...any) error {
	return matching.Invalid([]matching.FieldError{
		{Field: fieldMapping, Code: code, Message: fmt.Sprintf(format, args...)},
	})
}

// lineMapping implements records.Mapping with a mapping file.
type lineMapping struct {
	files    *mappingFiles
	content  []byte
	isPatch  bool
	lines    *loading.Lines
	currency string // of the amounts that lines reads
}

// readIn makes the mapping read amounts in a currency.
func (m *lineMapping) readIn(currency string) error {
	rates, _ := exchangeRates(m.files.rates, currency)
	lines, err := loading.OpenLines(m.content, loading.LineOptions{
		Currency: currency, Rates: rates, Partial: m.isPatch, Year: m.files.now().Year(),
	})
	if err != nil {
		return err
	}
	m.lines = lines
	m.currency = currency
	return nil
}

// Read implements records.Mapping.
func (m *lineMapping) Read(object []byte, line int, currency string) (records.Mapped, error) {
	if currency != m.currency {
		if err := m.readIn(currency); err != nil {
			return records.Mapped{}, err
		}
	}

	row := m.lines.Read(object, line)
	record := freelancers.NewRecord(row.Freelancer, currency, row.OtherIDs())
	record.Deleted = row.Deleted
	for _, warning := range row.Warnings {
		record.Warnings = append(record.Warnings, remarkOn(warning))
	}

	mapped := records.Mapped{Record: record}
	for _, fault := range row.Faults {
		e := remarkOn(fault)
		e.Code = "invalid_value"
		mapped.Faults = append(mapped.Faults, e)
	}
	switch {
	case row.LeftOut:
		mapped.Skipped = "The condition of the mapping leaves this line out."
	case row.Skipped && len(row.Warnings) > 0:
		mapped.Skipped = record.Warnings[len(record.Warnings)-1].Message
	}

	return mapped, nil
}

// remarkOn returns what a reader of files remarks on a row in the form of the API.
func remarkOn(f rows.Fault) matching.FieldError {
	e := matching.FieldError{Field: f.Column, Code: "remark"}
	if f.Reason == loading.RemarkLacking {
		e.Code = "missing_column"
	}
	if e.Field == "" {
		e.Field = "body"
	}

	// What follows is advice about flags of the indexer.
	reason, _, _ := strings.Cut(f.Reason, "; set one with -")
	reason, _, _ = strings.Cut(reason, "; set other bounds with -")
	e.Message = fmt.Sprintf("%s: %s.", e.Field, reason)
	if f.Value != "" {
		e.Message = fmt.Sprintf("%s: %s; got %.80q.", e.Field, reason, f.Value)
	}

	return e
}
