package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/setup"
)

const peopleHelp = `Usage: server people COMMAND [flags]

Find, export and erase what the service stores about a freelancer: records in all indexes, dead letters, interviews,
verdicts on unknown words, events about matches, projects, saved briefs, and the audit log. Name the freelancer by ID or
email address. Records have no field for addresses, but their texts may contain one, and an address identifies the
resumes that have it.

Commands:
  find ID|EMAIL…               list where the freelancer occurs
  export ID|EMAIL… [-o FILE]   write all of it as JSON
  delete ID|EMAIL… [-yes]      erase the freelancer everywhere, and leave them out of later loads
  readmit ID|EMAIL…            allow later loads to load the freelancer again

delete asks for confirmation, or needs -yes if it can't. It deletes the freelancer from every index in place, so a
rollback can't bring them back, and a running server stops returning the freelancer in a second. The list of erased
people, in the database and in the data folder's erased.json, has hashes only; the indexer reads it and leaves these
people out. Exports in the data folder (.ndjson, .jsonl and .csv, also in its folder exports) lose the freelancer, too.

Your files, other exports, backups, and snapshots of Elasticsearch are not searched. Each data folder and
each database needs its own run. Every run is recorded in the audit log, under a pseudonym of the freelancer.

Examples:
  server people find fl-0011223344556677
  server people export ada@example.com -o ada.json
  server people delete fl-0011223344556677 ada@example.com

Flags:
`

// peopleSettings returns the settings of the commands. Deleting a person may build an index, so it needs the same
// settings as a load.
func peopleSettings() []string {
	return []string{
		"skills-file", "elasticsearch-url", "elasticsearch-user", "elasticsearch-password-file",
		"elasticsearch-api-key-file", "elasticsearch-ca-file", "elasticsearch-prefix", "elasticsearch-shards",
		"elasticsearch-replicas", "elasticsearch-writers", "embeddings-url", "embeddings-key-file", "embeddings-model",
		"embeddings-dimensions", "embeddings-query-prefix", "embeddings-passage-prefix",
	}
}

func (c console) people(ctx context.Context, args []string) error {
	g := newGroup("people", peopleHelp, peopleSettings()...)
	p := &peopleCommands{console: c, config: &g.config, log: slog.New(slog.NewTextHandler(c.stderr, nil))}
	g.flags.StringVar(&p.file, "o", "", "`file` to write the export to (default: standard output)")
	g.flags.BoolVar(&p.yes, "yes", false, "delete without asking")
	g.subcommands = []subcommand{
		{"find ID|EMAIL…", "", p.with(p.find)},
		{"export ID|EMAIL…", "o", p.with(p.export)},
		{"delete ID|EMAIL…", "yes", p.with(p.delete)},
		{"readmit ID|EMAIL…", "", p.with(p.readmit)},
	}
	return g.run(ctx, c, args)
}

// peopleCommands holds the values of the flags. Its methods are the subcommands.
type peopleCommands struct {
	console
	config *config.Config
	log    *slog.Logger
	file   string
	yes    bool
}

// with returns a subcommand that opens everything where people may occur.
func (p *peopleCommands) with(
	run func(context.Context, *people.Service, *app.Access, people.Subject) error,
) func(context.Context, *app.Access, []string) error {
	return func(ctx context.Context, s *app.Access, operands []string) (err error) {
		index, err := setup.OpenIndex(*p.config, p.log)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, index.Close()) }()

		// The data folder may have erasures of an earlier release.
		if _, err := s.Erased.Sync(ctx); err != nil {
			return err
		}

		// Drafts of resumes name their freelancer by a keyed hash.
		draftKey, err := s.DraftKey(ctx)
		if err != nil {
			return err
		}

		eraseVectors := func(ctx context.Context, ids []string) error { return index.EraseVectors(ctx, nil, ids) }
		return run(ctx, people.New(people.Config{
			Indexes: index.Engine,
			Alias:   match.Alias,
			Eraser:  &eraser{index: index, erased: s.Erased, config: p.config, log: p.log},
			Letters: people.Letters(filepath.Join(p.config.Data, setup.DeadLettersDir)),
			Vectors: eraseVectors,
			Announce: func(ctx context.Context, ids []string) error {
				return feed.Erasing(ctx, s.DB.Feed, ids, time.Now())
			},
			Exports:    people.Exports(p.config.Data),
			List:       s.Erased,
			Interviews: s.DB.Interviews,
			Verdicts:   s.DB.Verdicts,
			Events:     s.DB.MatchEvents,
			Results:    s.DB.Results,
			Requests:   s.DB.RequestLog,
			Projects:   s.DB.Projects,
			Saved:      s.DB.Briefs,
			Log:        s.DB.AuditLog,
			DraftKey:   draftKey,
			Scrub:      s.DB.Scrub,
			Now:        time.Now,
		}), s, people.ParseSubject(operands))
	}
}

func (p *peopleCommands) find(
	ctx context.Context, s *people.Service, access *app.Access, subject people.Subject,
) error {
	found, err := s.Find(ctx, commandLine(), subject)
	if err != nil {
		return err
	}
	if found.Listed {
		fmt.Fprintln(p.stdout, "The list of erased people has this ID or address: loads leave the freelancer out.")
	}
	if found.IsEmpty() {
		fmt.Fprintln(p.stdout, "Nothing is stored about this freelancer.")
	}
	if !found.IsEmpty() || found.Unreadable != nil {
		if err := p.print(found); err != nil {
			return err
		}
	}
	return errors.Join(p.printUnsearched(), p.printUsers(ctx, access, subject))
}

// print prints where somebody was found.
func (p *peopleCommands) print(found *people.Found) error {
	w := newTable(p.stdout)
	fmt.Fprintln(w, "WHERE\tWHAT")
	for _, f := range found.Freelancers {
		where := "index " + f.Index
		if f.Live {
			where += " (live)"
		}
		fmt.Fprintf(w, "%s\t%s, %s, %s\n", where, printable(f.Record.ID), short(orDash(f.Record.Name), 30),
			short(orDash(f.Record.JobTitle), 40))
	}

	for _, l := range found.DeadLetters {
		fmt.Fprintf(w, "dead letters %s\tline %d\n", l.File, l.Line)
	}

	for _, i := range found.Interviews {
		fmt.Fprintf(w, "interview %s\tof account %s, about %s, until %s\n", i.ID, orDash(i.Account),
			printable(i.Freelancer), minute(i.Expires, ""))
	}

	for _, id := range found.MentionedIn {
		fmt.Fprintf(w, "interview %s\tabout somebody else; contains the address\n", id)
	}

	for _, v := range found.Verdicts {
		fmt.Fprintf(w, "verdict\ton the word %q\n", short(v.Word, 40))
	}

	// Events can be many, so they are counted by account instead of listed.
	reported := map[string]int{} // by account
	for _, e := range found.Events {
		reported[e.Account]++
	}

	for _, account := range slices.Sorted(maps.Keys(reported)) {
		fmt.Fprintf(w, "events\t%s of account %s\n", english.Plural(reported[account], "event", ""), account)
	}

	if found.ShownIn > 0 {
		fmt.Fprintf(w, "match records\t%s, as a hash\n", english.Plural(found.ShownIn, "record", ""))
	}

	if found.Briefs > 0 {
		fmt.Fprintf(w, "briefs\t%s with the freelancer's ID, address, name or URL\n",
			english.Plural(found.Briefs, "stored brief", ""))
	}

	for _, id := range found.Results {
		fmt.Fprintf(w, "playground result %s\twith the freelancer's ID or address\n", id)
	}

	for _, id := range found.Requests {
		fmt.Fprintf(w, "request log %s\twith the freelancer's ID or address\n", id)
	}

	for _, listed := range found.Shortlisted {
		fmt.Fprintf(w, "project %s\tof account %s: %s\n", listed.Project, listed.Account, listed.State)
	}

	for _, id := range found.ProjectTexts {
		fmt.Fprintf(w, "project %s\tbrief or notes with the freelancer's ID, address, name or URL\n", id)
	}

	for _, listed := range found.Watched {
		fmt.Fprintf(w, "saved brief %s\tof account %s: on its list\n", listed.Brief, listed.Account)
	}

	for _, id := range found.BriefTexts {
		fmt.Fprintf(w, "saved brief %s\twith the freelancer's ID, address, name or URL\n", id)
	}

	// An index that can't be read can't be searched either, which must not pass for "not found".
	for _, index := range found.Unreadable {
		fmt.Fprintf(w, "index %s\tcan't be read, so it may have anybody; indexer prune removes it\n", index)
	}

	if found.AuditLog > 0 {
		fmt.Fprintf(w, "audit log\t%s\n", english.Plural(found.AuditLog, "entry", "entries"))
	}

	return w.Flush()
}

// printUnsearched names the databases that server restore has replaced and kept. They may have anybody.
func (p *peopleCommands) printUnsearched() error {
	kept, err := filepath.Glob(filepath.Join(p.config.Data, "matching.db.replaced-*"))
	if err != nil || len(kept) == 0 {
		return err
	}
	fmt.Fprintf(p.stdout, "Not searched: %s. Remove what you no longer need.\n", strings.Join(kept, ", "))
	return nil
}

// printUsers says which of the addresses belong to users of the dashboard, who are not freelancers.
func (p *peopleCommands) printUsers(ctx context.Context, access *app.Access, subject people.Subject) error {
	for _, email := range subject.Emails {
		if address, err := account.ParseEmail(email); err == nil {
			email = address
		}
		user, err := access.DB.Users.FindByEmail(ctx, email)
		if errors.Is(err, account.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "%s is a user of account %s. See server users export and server users delete.\n", email,
			user.Account)
	}
	return nil
}

func (p *peopleCommands) export(
	ctx context.Context, s *people.Service, access *app.Access, subject people.Subject,
) error {
	found, err := s.Export(ctx, commandLine(), subject)
	if err != nil {
		return err
	}
	if found.IsEmpty() {
		return people.ErrNothing
	}

	err = p.writeFile(p.file, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(found)
	})
	if err != nil || p.file == "" {
		return err // standard output has the export
	}

	return p.printUsers(ctx, access, subject)
}

func (p *peopleCommands) delete(
	ctx context.Context, s *people.Service, access *app.Access, subject people.Subject,
) error {
	found, err := s.Plan(ctx, subject)
	if err != nil {
		return err
	}

	if !p.yes {
		if err := p.print(found); err != nil {
			return err
		}
		if err := p.confirm("Erase all of this? You can't undo it."); err != nil {
			return err
		}
	}

	e, err := s.Erase(ctx, commandLine(), subject)
	// A failed erasure may have erased a part, which the operator has to know.
	if e != nil {
		p.printErasure(e)
	}

	if errors.Is(err, engine.ErrConflict) {
		return fmt.Errorf("%w. Nothing is erased yet. Run the same command again when the indexer is done", err)
	}
	if err != nil {
		return err
	}

	return errors.Join(p.printUnsearched(), p.printUsers(ctx, access, subject))
}

func (p *peopleCommands) printErasure(e *people.Erasure) {
	count := func(n int, noun, plural string) {
		if n > 0 {
			fmt.Fprintf(p.stdout, "  %s\n", english.Plural(n, noun, plural))
		}
	}

	fmt.Fprintln(p.stdout, "Erased:")
	count(len(e.Before.Freelancers), "record in an index", "records in indexes")
	count(e.Letters, "dead letter", "")
	count(e.Exported, "line of an export in the data folder", "lines of exports in the data folder")
	count(e.Interviews, "interview, with the stored responses about it",
		"interviews, with the stored responses about them")
	count(e.Redacted, "mention in an interview about somebody else", "mentions in interviews about others")
	count(e.Verdicts, "verdict on an unknown word", "verdicts on unknown words")
	count(e.Events, "event about matches", "events about matches")
	count(e.Before.ShownIn, "hash in a record of a match", "hashes in records of matches")
	count(len(e.Before.Shortlisted), "place in a project", "places in projects")
	count(len(e.Before.ProjectTexts), "project whose brief or notes mentioned the freelancer",
		"projects whose brief or notes mentioned the freelancer")
	count(len(e.Before.Watched), "place on the list of a saved brief", "places on lists of saved briefs")
	count(len(e.Before.BriefTexts), "saved brief whose text mentioned the freelancer",
		"saved briefs whose texts mentioned the freelancer")
	count(e.Before.Briefs, "stored brief that mentioned the freelancer", "stored briefs that mentioned the freelancer")
	count(e.AuditLog, "ID in the audit log, replaced by a pseudonym", "IDs in the audit log, replaced by a pseudonym")

	// Only Elasticsearch deletes in place, which leaves traces until it merges its files.
	switch x := e.Indexes; {
	case x.Live == "":
	case x.InPlace:
		fmt.Fprintln(p.stdout, "The records are deleted from all indexes. Elasticsearch keeps the ID and single words of "+
			"the freelancer\nuntil it merges its files. To remove these now: indexer reindex, then indexer prune -keep 0 "+
			"-previous")
		p.printDropped(x.Dropped)

	default:
		fmt.Fprintf(p.stdout, "Live index: %s\n", x.Live)
		p.printDropped(x.Dropped)
		if x.Previous == "" {
			fmt.Fprintln(p.stdout, "There is no previous index now, so you can't roll back until the next load.")
		}
	}

	fmt.Fprintf(p.stdout, "The audit log calls the freelancer %s.\n"+
		"Later loads leave the freelancer out. Your files and backups still have them.\n",
		strings.Join(e.Pseudonyms, ", "))
}

func (p *peopleCommands) printDropped(indexes []string) {
	if len(indexes) > 0 {
		fmt.Fprintf(p.stdout, "Removed earlier indexes that had the freelancer, or could not be changed: %s\n",
			strings.Join(indexes, ", "))
	}
}

func (p *peopleCommands) readmit(
	ctx context.Context, s *people.Service, _ *app.Access, subject people.Subject,
) error {
	removed, err := s.Readmit(ctx, commandLine(), subject)
	if err != nil {
		return err
	}
	if !removed {
		return errors.New("the list of erased people has none of these IDs and addresses")
	}
	fmt.Fprintln(p.stdout, "Later loads can load the freelancer again.")
	return nil
}

// eraser deletes people from indexes with the indexer's own machinery.
type eraser struct {
	index  *setup.Index
	erased *people.List
	config *config.Config
	log    *slog.Logger
}

// Erase implements people.Eraser.
func (e *eraser) Erase(ctx context.Context, ids []string) (people.ErasedIndexes, error) {
	preparer, err := e.index.Preparer(ctx)
	if err != nil {
		return people.ErasedIndexes{}, err
	}

	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		return people.ErasedIndexes{}, err
	}

	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}

	loader := bulk.Loader{Indexer: e.index.Engine, Preparer: preparer, Log: e.log, Now: time.Now}
	report, err := loader.Delete(ctx, ids, bulk.Options{
		Owner:       fmt.Sprintf("server people delete, process %d on %s", os.Getpid(), host),
		Alias:       match.Alias,
		Mapping:     mapping,
		Taxonomy:    e.index.Taxonomy.Version(),
		Everywhere:  true,
		AllowShrink: true, // the operator named these people
		Run:         engine.Run{Command: "people delete"},
		Erased:      e.erased.Matcher,
		DeadLetters: func(index string) string { return setup.DeadLetterFile(e.config.Data, index) },
		Progress:    func(bulk.Progress) {},
	})
	if err != nil {
		return people.ErasedIndexes{}, err
	}

	slices.Sort(report.Dropped)
	return people.ErasedIndexes{
		InPlace: report.InPlace, Live: report.Index, Previous: report.Previous, Dropped: report.Dropped,
	}, nil
}
