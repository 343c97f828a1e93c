package inputs

import (
	"errors"
	"flag"
	"strconv"

	"github.com/freelancer-matching/service/indexer/source/where"
)

const whereHelp = `
-where loads only the rows that fulfill a condition on the columns of the file, whatever they are mapped to:
"status != Rejected and (score >= 4 or stage in (Offer, Hired))". = and != compare texts, ignoring case, numbers and
dates; <, <=, > and >= compare numbers and dates such as 2026-01-31; ~ finds a text within a cell. Conditions are joined
with and, or, not and parentheses. Names and values with other characters than letters and digits are in quotes. Cells
without a value equal ''.
`

// bindFormats defines the flags that say how the content of files is laid out.
func (o *Options) bindFormats(flags *flag.FlagSet) {
	flags.StringVar(&o.Source.Encoding, "encoding", "",
		"`name` of the encoding of text files, such as iso-8859-2 or windows-1250 (default: detected)")
	flags.StringVar(&o.Source.Sheet, "sheet", "",
		"`name` of the sheet of a workbook, or of the file in a zip archive (default: the only one)")
	flags.StringVar(&o.Source.JSONPath, "json-path", "",
		"`keys` that lead to the list of freelancers in a JSON file, such as data.items (default: the only list)")
	flags.Func("skip-lines", "`number` of lines above the table to skip; in a workbook, rows", func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return errors.New("want a number of lines, such as 2")
		}
		o.Source.SkipLines = n
		return nil
	})
	flags.Func("where", "load only the rows that fulfill a `condition` on their columns, such as \"status != Rejected "+
		"and score >= 4\"", func(text string) error {
		o.Source.Where = text
		_, err := where.Parse(text)
		return err
	})
	flags.BoolVar(&o.Source.NoHeader, "no-header", false,
		"the table has no header; use its columns as \"column 1\", \"column 2\" and so on, such as -map name=\"column 2\"")
}
