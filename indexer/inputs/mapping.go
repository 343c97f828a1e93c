package inputs

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"unicode"

	"github.com/freelancer-matching/service/indexer/atomicfile"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/taxonomy"
)

const mappingHelp = `
Columns are mapped to fields by their headers and their values. The mapping is printed. A column that is used with
doubt is listed with three of its values. To correct a column, use -map, or write the whole mapping to a file with
indexer validate -o mapping.yaml, edit it, and read it with -mapping. -map overrides the mapping file. The mapping
that a load used is stored with its index.

A column of currencies sets the currency of the rates in its row. The scale of a column of ratings (5, 10 or 100) is
judged from all its values, unless its header or its values name it.
`

// bindMapping defines the flag -mapping.
func (o *Options) bindMapping(flags *flag.FlagSet) {
	flags.StringVar(&o.mappingFile, "mapping", "",
		"mapping `file` that says which column holds each field; indexer validate -o writes one")
}

// readMapping reads the mapping file, if there is one.
func (o *Options) readMapping() error {
	if o.mappingFile == "" {
		return nil
	}
	text, err := os.ReadFile(o.mappingFile)
	if err != nil {
		return fmt.Errorf("read the mapping file: %w", err)
	}
	if o.Source.Mapping, err = mappingfile.Parse(text); err != nil {
		return fmt.Errorf("the mapping file %s: %w", o.mappingFile, err)
	}
	return nil
}

// WriteMapping writes the mapping file for validate -o.
func (in *Inputs) WriteMapping(path string) error {
	text, err := in.Mapping()
	switch {
	case err != nil:
		return err
	case text == "":
		return commandline.Usagef("-o writes the mapping of columns, and resumes have none; name a file with a table")
	}
	return atomicfile.Replace(path, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// newVocabulary returns a vocabulary that loads the taxonomy when it is first asked.
func newVocabulary(skillsFile string) loading.Vocabulary {
	return loading.Vocabulary{Taxonomy: sync.OnceValues(func() (*taxonomy.Taxonomy, error) {
		return setup.LoadTaxonomy(skillsFile)
	})}
}

// printTable prints how the columns of a file are used: those that are used, those that aren't, and why.
func printTable(w io.Writer, columns []source.Column) {
	var used, unused, unknown, doubtful []source.Column
	for i, c := range columns {
		if c.Header == "" {
			c.Header = fmt.Sprintf("(column %d)", i+1)
		}

		switch {
		case c.Field != "":
			used = append(used, c)
		case c.How != "":
			unused = append(unused, c)
		default:
			unknown = append(unknown, c)
		}

		if c.Doubt != "" {
			doubtful = append(doubtful, c)
		}
	}

	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  COLUMN\tFIELD\tBY\tEXAMPLE\tNOTE")
	for _, c := range used {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", format.Printable(c.Header, 30), c.Field, c.How, example(c), c.Note)
	}

	table.Flush()
	printUnused(w, "not used", unused)
	printUnused(w, "unknown and not used; use them with -map FIELD=COLUMN", unknown)

	if len(doubtful) > 0 {
		fmt.Fprintln(w, "  used with doubt; confirm them with -map or a mapping file, or leave them out with -map FIELD=:")
	}

	for _, c := range doubtful {
		examples := make([]string, len(c.Examples))
		for i, e := range c.Examples {
			examples[i] = strconv.Quote(format.Printable(e, 40))
		}
		fmt.Fprintf(w, "    %s as %s: %s\n      values %s; to confirm: -map %s=%s\n",
			format.Printable(c.Header, 30), c.Field, c.Doubt, strings.Join(examples, ", "), c.Field, shellWord(c.Header))
	}
}

// printUnused prints a list of columns that are not used.
func printUnused(w io.Writer, title string, columns []source.Column) {
	if len(columns) == 0 {
		return
	}
	fmt.Fprintf(w, "  %s:\n", title)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range columns {
		fmt.Fprintf(table, "    %s\t%s\t%s\n", format.Printable(c.Header, 30), example(c), c.Note)
	}
	table.Flush()
}

// example returns the first example of a column.
func example(c source.Column) string {
	if len(c.Examples) == 0 {
		return ""
	}
	return format.Printable(c.Examples[0], 40)
}

// shellWord quotes a word for a shell if that is necessary.
func shellWord(word string) string {
	isPlain := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.", r) }
	if word != "" && strings.TrimFunc(word, isPlain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(format.Printable(word, 100), "'", `'\''`) + "'"
}
