package inputs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"strings"

	"github.com/freelancer-matching/service/indexer/query"
	"github.com/freelancer-matching/service/indexer/query/mysql"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
	"github.com/freelancer-matching/service/internal/commandline"
)

// BindDatabase defines the flags that say what to read from a database with -from, and how.
func (o *Options) BindDatabase(flags *flag.FlagSet) {
	o.bindColumns(flags)
	o.bindQuery(flags)
	flags.Func("id", "`column` of the query that identifies people; several rows may have the same id",
		func(text string) error {
			if text = strings.TrimSpace(text); text == "" || text == source.PositionID || strings.Contains(text, ",") {
				return errors.New("want one column, whose values never change; to use several, concatenate them in the query")
			}
			o.Source.ID = []string{text}
			return nil
		})
}

// Statement returns what flags say to read from a database, and the column that identifies people.
func (o *Options) Statement() (s query.Statement, id string, err error) {
	s = o.remote.statement
	switch {
	case (s.SQL == "") == (s.Table == ""):
		return s, "", commandline.Usagef("give either -query, such as -query \"SELECT * FROM freelancers\", or -table")
	case len(o.Source.ID) == 0:
		return s, "", commandline.Usagef("-id is missing; name the column that identifies people, such as -id id")
	}
	return s, o.Source.ID[0], nil
}

// A Database is what -from names. One of the fields is set.
type Database struct {
	PostgreSQL *query.Database
	MySQL      *mysql.Database
}

// ParseDatabase parses the URL of a database.
func ParseDatabase(address string) (d Database, err error) {
	switch {
	case address == "":
		return d, commandline.Usagef("-from is missing; name a database, such as -from postgres://reader@db/crm")
	case isPostgres(address):
		d.PostgreSQL, err = query.ParseURL(address)
	case isMySQL(address):
		d.MySQL, err = mysql.ParseURL(address)
	default:
		return d, commandline.Usagef("-from must be a postgres:// or mysql:// URL; load other inputs with indexer load")
	}
	if err != nil {
		return d, commandline.Usagef("%v", err)
	}
	return d, nil
}

func isMySQL(address string) bool { return scheme(address) == "mysql" || scheme(address) == "mariadb" }

// MaxDownload returns the number of bytes of the largest input that has to be copied.
func (o *Options) MaxDownload() int64 { return o.remote.maxDownload }

// OpenRows opens rows of a database that have been copied as lines of JSON. mapping is the mapping of columns, as YAML,
// that an earlier result of the same query was read with; "" to recognize the columns. It sets the currency in the
// options as ChooseCurrency does in a first load, if AdoptCurrency didn't.
func OpenRows(
	ctx context.Context, from source.Input, mapping string, o *Options, program Program,
) (_ *Inputs, err error) {
	// Exchange rates that a table gives may have changed since the last call, so they don't stay in the options.
	options := *o
	options.Source.Rates = maps.Clone(o.Source.Rates)
	if err := options.prepare(program); err != nil {
		return nil, err
	}

	if mapping != "" {
		if options.Source.Mapping, err = mappingfile.Parse([]byte(mapping)); err != nil {
			return nil, fmt.Errorf("the mapping of the first run: %w", err)
		}
	}

	// The first run has checked that the rows are about freelancers. A few of them may look like something else.
	options.AllowKind = options.AllowKind || mapping != ""
	op := &opener{Program: program, Options: &options, in: &Inputs{}}
	if err := op.openInput(&fetchedInput{Input: from, path: from.Name}); err != nil {
		return op.in, err
	}

	err = options.ChooseCurrency(ctx, op.in, "", program.Now(), program.Log)
	o.Source.Currency, o.CurrencyBy = options.Source.Currency, options.CurrencyBy
	o.RatesDates = options.RatesDates

	return op.in, err
}
