package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/postgres"
	"github.com/freelancer-matching/service/store/sqlite"
)

// OpenErased returns the list of erased people in an open database, with its copy in the data folder.
func OpenErased(c config.Config, db *store.DB) *people.List {
	return &people.List{Store: db.ErasedPeople, Copy: erasedCopy(c)}
}

func erasedCopy(c config.Config) people.Copy {
	return people.Copy(filepath.Join(c.Data, people.CopyFile))
}

// ErasedPeople is the list of erased people as a program reads it that doesn't open the database for writing.
type ErasedPeople struct {
	*people.Erased           // of the database and the copy in the data folder together
	Problems       []Problem // with the list; the program can go on
}

// A Problem is something that an operator should know and change.
type Problem struct{ Text, Next string }

// ReadErased reads the list of erased people from the configured database, which it neither creates nor migrates, and
// from the copy in the data folder. It fails if one of them exists and can't be read.
func ReadErased(ctx context.Context, c config.Config) (*ErasedPeople, error) {
	inCopy, err := erasedCopy(c).Read()
	if err != nil {
		return nil, err
	}

	report, err := readErasedDatabase(ctx, c)
	hasDatabase := !errors.Is(err, fs.ErrNotExist)
	if err != nil && hasDatabase {
		return nil, err
	}

	inDatabase := people.NewErased(report.Entries)
	onlyInCopy := len(inCopy.Beyond(inDatabase))
	list := &ErasedPeople{Erased: people.NewErased(inDatabase.Entries(), inCopy.Entries())}
	switch {
	case !hasDatabase && (onlyInCopy > 0 || c.Elasticsearch.On()):
		list.Problems = append(list.Problems, Problem{
			fmt.Sprintf("there is no database in %s, so people who were erased elsewhere are not known", c.Data),
			"name the server's data folder with -data, or its PostgreSQL database with -database-url",
		})
	case onlyInCopy > 0:
		list.Problems = append(list.Problems, Problem{
			fmt.Sprintf("only %s has %s: the database is from an older backup or release", erasedCopy(c),
				english.Plural(onlyInCopy, "entry", "entries")),
			"start the server, which adds them to the database; after a restore, erase the data of these people again",
		})
	case report.Missing() && inCopy.Len() == 0:
		list.Problems = append(list.Problems, MissingErased(c, report))
	}

	return list, nil
}

// MissingErased describes that people were erased, but that the list of them is gone.
func MissingErased(c config.Config, report people.ListReport) Problem {
	return Problem{
		fmt.Sprintf("people were erased until %s, but the list of them is missing, so loads bring them back",
			report.LastErasure.Format(time.DateOnly)),
		fmt.Sprintf("put %s of the old data folder into %s and start the server, or erase these people again",
			people.CopyFile, c.Data),
	}
}

func readErasedDatabase(ctx context.Context, c config.Config) (people.ListReport, error) {
	if c.Database.On() {
		return postgres.ErasedPeople(ctx, c.Database.URL, c.Database.Password.Get)
	}
	path := filepath.Join(c.Data, databaseFile)
	if _, err := os.Stat(c.Data); err != nil {
		return people.ListReport{}, err
	}
	report, err := sqlite.ErasedPeople(ctx, path)
	if errors.Is(err, sqlite.ErrMissing) {
		return report, missingDatabase(c)
	}
	return report, err
}

// Erased returns a function that reports whether a freelancer is on the list of erased people now, or nil if nobody is.
// It logs each problem with the list once.
func (x *Index) Erased(ctx context.Context) (func(*matching.Freelancer) bool, error) {
	list, err := ReadErased(ctx, x.config)
	if err != nil {
		return nil, err
	}
	for _, p := range list.Problems {
		if _, logged := x.logged.LoadOrStore(p.Text, true); logged {
			continue
		}
		x.log.WarnContext(ctx, "list of erased people incomplete", "problem", p.Text, "next", p.Next)
	}
	return list.Matcher(), nil
}
