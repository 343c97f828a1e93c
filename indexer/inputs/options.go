package inputs

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/matching"
)

// Help explains the inputs of load and validate.
func Help() string { return helpOfFiles + fieldsHelp() + helpOfRows }

const helpOfFiles = `
Files can be CSV with any delimiter, NDJSON, JSON, XLSX or Parquet, optionally compressed with gzip, zstd, bzip2, xz or
zip. The format is detected from the content, not from the file name. A file named - is standard input. Several files
are loaded into one index.

A file can also be a URL: https://… or s3://BUCKET/KEY. Credentials are in the URL, in the file that -netrc or
MATCHING_NETRC names, or for S3 in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and
AWS_ENDPOINT_URL. postgres://… loads the result of -query, or all rows of -table, and so does an SQLite file. A list in
a column of the database becomes a list of skills. Downloads, query results, standard input and pipes are copied to a
temporary file without a name, which disappears with the process.

Messages of Debezium, wal2json, Airbyte and Singer about the changes of a database are recognized. The last state of
each record is read, and -upsert deletes the freelancers whose records were deleted.

`

// fieldsHelp lists the fields of a freelancer.
func fieldsHelp() string {
	fields := append([]string{"id"}, matching.FieldNames(matching.ScopeMatch, matching.ScopeRecord)...)
	text := fmt.Sprintf("The fields are %s, and the details %s. Location and email are used to recognize people; "+
		"email isn't stored.", english.WordSeries(fields, "and"),
		english.WordSeries(matching.FieldNames(matching.ScopeDetails), "and"))

	return strings.Join(format.WrapList(strings.Fields(text), " ", helpWidth), "\n") + "\n"
}

// helpWidth is the width of the longest lines of the help.
const helpWidth = 120

const helpOfRows = `
A country is derived from a location that names it, such as Porto, Portugal, and a time zone from a country that has
only one. The report counts derived values. Rates in other currencies than -currency are converted with -rate, or with
the table that -exchange-rates names; others are unknown.
` + mappingHelp + whereHelp + datasetHelp + identityHelp + kindHelp + `
-resumes loads a folder of resumes. Each PDF, DOCX, ODT, RTF, HTML or text file becomes a freelancer with a name,
job title, skills, experience and description. Resumes with the same e-mail address are merged. Resumes that can't be
read are rejected like rows. The text of scanned pages is recognized if Tesseract is installed (-ocr).

Rows that do not describe a freelancer are rejected. The reasons are printed, and each rejected row is written to
the dead-letter file as a line of JSON with its faults and its cells. If more rows are rejected than -max-failures
allows, the exit code is 1. A percentage is checked after all rows have been read.
`

// Options are the flags that say which inputs to read, and how.
type Options struct {
	Config  config.Config
	Source  source.Options
	Resumes string // folder; empty for none
	// CurrencyBy says what chose Source.Currency. ChooseCurrency sets it.
	CurrencyBy bulk.CurrencySource
	// RatesDates holds the days of the exchange rates that a table gave, by currency; see bulk.Options. ChooseCurrency
	// sets it.
	RatesDates map[string]string
	MaxMerged  *bulk.Limit // rows that may be merged into others or repeat them; nil for any number
	AllowKind  bool        // read files that don't look like lists of freelancers

	// Known holds the files of the live index, in the order of the arguments. If all inputs are still the same, Open
	// returns ErrUnchanged. It is nil to open the inputs in any case.
	Known []engine.SourceFile

	RetryFile     string            // of dead letters; empty to load ordinary files
	RetryMappings []*source.Mapping // of the runs that made the live index, the newest first

	remote      remoteOptions
	identity    identityOptions
	partitions  map[string][]source.Constant // by path; set by Expand
	mappingFile string                       // to read; empty for none
	rates       *exchange.Table              // the operator's; nil for none
}

// Bind defines the flags that say how to read files.
func (o *Options) Bind(flags *flag.FlagSet) {
	o.bindColumns(flags)
	flags.Func("delimiter", "`character` between the cells of a CSV file, or tab (default: detected)", o.setDelimiter)
	flags.StringVar(&o.Resumes, "resumes", "", "`folder` of resumes to load, alone or together with files")

	o.bindRemote(flags)
	o.bindFormats(flags)
	o.bindIdentity(flags)
}

// bindColumns defines the flags that say how the columns of any input are used.
func (o *Options) bindColumns(flags *flag.FlagSet) {
	o.Source.Map = make(map[string]string)
	o.Source.Rates = make(map[string]float64)
	flags.Func("map", "use a column for a field, as `field=column`; field= leaves the field unknown; may be repeated",
		o.setMap)
	flags.StringVar(&o.Source.Currency, "currency", "", "ISO 4217 `code` of the currency of all amounts in the index "+
		"(default: as in the live index; in a first load, the one that all rates name, or else USD)")
	flags.Func("rate", "convert another currency, as `code=amount`, such as EUR=1.08 if one euro is worth 1.08 units "+
		"of -currency; may be repeated", o.SetRate)
	o.bindRates(flags)
	o.bindKind(flags)
	o.bindMapping(flags)
}

func (o *Options) setMap(text string) error {
	field, column, ok := strings.Cut(text, "=")
	if !ok || field == "" {
		return errors.New("want field=column, such as hourly_rate=Price")
	}
	o.Source.Map[field] = column
	return nil
}

// SetRate adds an exchange rate, such as EUR=1.08.
func (o *Options) SetRate(text string) error {
	code, amount, _ := strings.Cut(text, "=")
	rate, err := strconv.ParseFloat(amount, 64)
	if code == "" || err != nil {
		return errors.New("want code=amount, such as EUR=1.08")
	}
	o.Source.Rates[strings.ToUpper(code)] = rate
	return nil
}

func (o *Options) setDelimiter(text string) error {
	if text == "tab" {
		text = "\t"
	}
	r, size := utf8.DecodeRuneInString(text)
	isOneCharacter := size > 0 && size == len(text)
	if !isOneCharacter || r == utf8.RuneError {
		return errors.New("want one character, or tab")
	}
	o.Source.Delimiter = r
	return nil
}
