package inputs

import (
	"errors"
	"flag"
	"strconv"
)

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
	flags.BoolVar(&o.Source.NoHeader, "no-header", false,
		"the table has no header; use its columns as \"column 1\", \"column 2\" and so on, such as -map name=\"column 2\"")
}
