package loading

import (
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
	"github.com/freelancer-matching/service/internal/value"
)

// LineOptions say how to read lines with a mapping file.
type LineOptions struct {
	Currency string             // of the data set
	Rates    map[string]float64 // by currency: the value of one unit of it in Currency
	Partial  bool               // lines change freelancers
	Year     int                // of the request
}

// Lines reads lines with a mapping file.
type Lines = source.Lines

// RemarkLacking is the warning about a column of a mapping that a line lacks.
const RemarkLacking = source.RemarkLacking

// OpenLines returns a reader for lines in the shape that the content of a mapping file describes.
func OpenLines(mapping []byte, o LineOptions) (*Lines, error) {
	m, err := mappingfile.Parse(mapping)
	if err != nil {
		return nil, err
	}
	return source.NewLines(m, source.Options{
		Currency: o.Currency, Rates: o.Rates, HoursPerDay: value.DefaultHoursPerDay, Partial: o.Partial, Year: o.Year,
	})
}
