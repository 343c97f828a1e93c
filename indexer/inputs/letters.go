package inputs

import (
	"errors"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/deadletter"
	"github.com/freelancer-matching/service/indexer/source/input"
)

// openLetters adds the rows of a dead-letter file to the inputs, one input for each original file.
func (op *opener) openLetters() error {
	groups, err := deadletter.Read(input.FromPath(op.RetryFile))
	if err != nil {
		return err
	}
	var errs []error
	for _, letters := range groups {
		options := op.Source

		// A few rejected rows don't show what a whole column does, such as the scale of its ratings, so the mapping of the
		// run that rejected them is used.
		mapping := options.Mapping
		for _, m := range op.RetryMappings {
			if mapping == nil && m.Has(letters.File) {
				mapping = m
			}
		}

		if prefix := op.identity.of(letters.File); prefix != "" {
			options.IDPrefix = prefix
		}
		f, err := source.OpenLetters(letters, mapping, options)
		if err != nil {
			errs = append(errs, err)
			continue
		}

		var notes []string
		if mapping == nil && len(letters.Columns) > 0 {
			notes = append(notes, "the index has no mapping of this file, so its columns were recognized from these rows")
		}

		op.in.AddOpened(f, notes, bulk.Input{
			Name: letters.File,
			Open: func() (bulk.File, error) { return source.OpenLetters(letters, mapping, options) },
		})

		if len(letters.Columns) > 0 {
			op.in.AddMapping(f.Mapping())
		}

		errs = append(errs, f.Close())
	}

	return errors.Join(errs...)
}
