package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/dbsync"
	"github.com/freelancer-matching/service/indexer/dbsync/state"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/indexer/inputs"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/indexer/query"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/retry"
	"github.com/freelancer-matching/service/setup"
)

const syncHelp = `
sync keeps the live index in step with the result of a query on PostgreSQL, MySQL or MariaDB. The first run loads all
rows as load does. Later rounds change only the freelancers whose rows differ, in place, also while a server uses the
index. Freelancers whose rows are deleted, leave the query or become invalid are deleted from the index. A round that
finds no difference is a success. What the index has is recorded in sync.db in the data folder, so a run may be
interrupted at any time.

Without -once, sync runs until it is stopped, and starts a round every -every. A round compares IDs and digests of all
rows, which the database computes; that finds every difference. With -changed-at, a round asks only for rows that are
newer than the last round, and all rows are compared every -reconcile. The time is checked against the oldest running
transaction, so rows that are committed late aren't missed; sync must be allowed to see all of them (on PostgreSQL GRANT
pg_read_all_stats, on MySQL GRANT PROCESS).

With -follow, changes arrive by logical replication from PostgreSQL, within a second. It needs wal_level = logical. Name
the table of people and each joined table with -follow-table TABLE:COLUMN, where the column has the id of the person.
-create-slot creates the publication and the slot. PostgreSQL keeps its log for a slot until it has been followed, even
while no sync is running: set max_slot_wal_keep_size, and drop a slot that is no longer needed with -drop-slot.

A full load follows instead of a round if the query, its flags, or the program's version have changed, if another
command has made an index live, or if more than a fifth of the freelancers differ. It can be rolled back; changes in
place can't.

See docs/sync.md. Up to a million rows, a nightly indexer load may be the simpler way: it is exact, too, is compared
with the live index, and can be rolled back.
` + guardHelp + `
Examples:
  indexer sync -from postgres://reader@db.example.com/crm -query "SELECT * FROM freelancers WHERE active" -id id
  indexer sync -once -quiet -from postgres://reader@db/crm -table freelancers -id id
  indexer sync -from postgres://reader@db/crm -table freelancers -id id -changed-at updated_at -every 10s
  indexer sync -from mysql://reader@db/crm -table freelancers -id id -changed-at updated_at
  indexer sync -create-slot -from postgres://admin@db/crm -follow-table people:id -follow-table skills:person_id
  indexer sync -follow -follow-table people:id -follow-table skills:person_id -from postgres://replicator@db/crm \
    -query "SELECT p.*, array(SELECT name FROM skills WHERE person_id = p.id) AS skills FROM people p" -id id
  indexer sync -drop-slot -from postgres://admin@db/crm
`

// syncOptions are the flags of sync.
type syncOptions struct {
	inputs.Options
	from        string // URL
	once        bool
	every       time.Duration
	reconcile   time.Duration
	changedAt   string // column
	margin      time.Duration
	metricsFile string // empty for none
	maxFailures bulk.Limit
	allowShrink bool

	follow, createSlot, dropSlot bool
	following                    query.Following
}

// syncSchedule are the flags of sync that don't change which freelancers the index gets.
var syncSchedule = []string{
	"once", "every", "reconcile", "changed-at", "margin", "metrics-file", "max-failures", "allow-shrink", "follow", "slot",
	"follow-table", "max-download",
}

func (c *cli) syncCommand() *command {
	o := &syncOptions{Options: inputs.Options{Config: config.Default()}, maxFailures: bulk.DefaultLimit()}
	flags := commandline.NewFlags("sync")
	environmentErr := config.Bind(&o.Config, flags, c.environment, slices.Concat(buildSettings(), rateSettings())...)
	o.BindDatabase(flags)
	o.bind(flags)

	return &command{
		name: "sync", flags: flags, details: syncHelp, summary: "keep the live index in step with a database",
		run: func(ctx context.Context, _ []string) error {
			if o.createSlot || o.dropSlot {
				return c.manageSlot(ctx, o)
			}
			return c.sync(ctx, o, environmentErr)
		},
	}
}

// bind defines the flags of sync alone.
func (o *syncOptions) bind(flags *flag.FlagSet) {
	flags.StringVar(&o.from, "from", "",
		"`URL` of the database, such as postgres://reader@db.example.com/crm or mysql://reader@db.example.com/crm")
	flags.BoolVar(&o.once, "once", false, "end after one round, for cron")
	flags.DurationVar(&o.every, "every", 30*time.Second, "`time` between the starts of two rounds")
	flags.DurationVar(&o.reconcile, "reconcile", time.Hour,
		"with -changed-at or -follow: the `time` after which all rows are compared")
	flags.StringVar(&o.changedAt, "changed-at", "", "`column` of the query with the time of the last change of the row")
	flags.DurationVar(&o.margin, "margin", time.Minute,
		"with -changed-at: read rows again that are older than the last round by this `time`, because clocks differ")
	flags.StringVar(&o.metricsFile, "metrics-file", "",
		"`file` to write metrics to after each round, for the textfile collector of Prometheus")
	flags.Func("max-failures", "rows that a full load may reject, as `N or P%` of all rows (default "+
		o.maxFailures.String()+")", func(text string) (err error) {
		o.maxFailures, err = bulk.ParseLimit(text)
		return err
	})
	bindAllowShrink(flags, &o.allowShrink)

	o.following.Slot = "freelancer_matching"
	flags.BoolVar(&o.follow, "follow", false, "receive changes by logical replication")
	flags.StringVar(&o.following.Slot, "slot", o.following.Slot, "`name` of the replication slot and of the publication")
	flags.Func("follow-table", "follow a table, as `TABLE:COLUMN`; the column has the id of the person; may be repeated",
		func(text string) error {
			t, err := query.ParseFollowedTable(text)
			o.following.Tables = append(o.following.Tables, t)
			return err
		})
	flags.BoolVar(&o.createSlot, "create-slot", false, "create the publication and the replication slot, and end")
	flags.BoolVar(&o.dropSlot, "drop-slot", false, "drop the replication slot and the publication, and end")
}

// check returns a usage error if the flags don't fit together.
func (o *syncOptions) check(database inputs.Database) error {
	switch {
	case o.follow && database.MySQL != nil:
		return commandline.Usagef("-follow needs PostgreSQL: the log of MySQL has rows of tables in the format of the " +
			"server, and no position in it says what a query sees; use -changed-at with a short -every")
	case o.follow && (o.once || o.changedAt != ""):
		return commandline.Usagef("-follow can't be used with -once or -changed-at")
	case !o.follow && len(o.following.Tables) > 0:
		return commandline.Usagef("-follow-table needs -follow or -create-slot")
	case o.every <= 0 || o.reconcile <= 0 || o.margin < 0:
		return commandline.Usagef("-every and -reconcile must be above 0, and -margin must not be below")
	}
	if o.follow {
		if err := o.following.Check(); err != nil {
			return commandline.Usagef("%v", err)
		}
	}
	return nil
}

// manageSlot creates or drops the replication slot.
func (c *cli) manageSlot(ctx context.Context, o *syncOptions) error {
	database, err := inputs.ParseDatabase(o.from)
	if err != nil {
		return err
	}
	d := database.PostgreSQL
	if d == nil {
		return commandline.Usagef("-create-slot and -drop-slot are about PostgreSQL; MySQL has no replication slots")
	}

	if o.dropSlot {
		if err := d.DropSlot(ctx, &o.following); err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "The replication slot and the publication %s don't exist any more.\n", o.following.Slot)
		return nil
	}

	if err := o.following.Check(); err != nil {
		return commandline.Usagef("%v", err)
	}
	if err := d.CreateSlot(ctx, &o.following); err != nil {
		return fmt.Errorf("%w\nAn administrator can run:\n  %s", err, strings.Join(o.following.Commands(), ";\n  ")+";")
	}
	if _, err := d.CheckSlot(ctx, &o.following); err != nil {
		return adviseSetup(err)
	}

	fmt.Fprintf(c.stdout, "The replication slot %s is ready. PostgreSQL keeps its log until indexer sync -follow has "+
		"followed it,\nso limit the log with max_slot_wal_keep_size, and drop the slot with -drop-slot if you stop using "+
		"it.\n", o.following.Slot)
	return nil
}

// adviseSetup adds the SQL that an administrator has to run.
func adviseSetup(err error) error {
	if e, ok := errors.AsType[*query.SetupError](err); ok {
		return fmt.Errorf("%w\nAn administrator can run:\n  %s;", err, strings.Join(e.SQL, ";\n  "))
	}
	return err
}

// A syncRun is one run of sync.
type syncRun struct {
	*run
	o      *syncOptions
	syncer *dbsync.Syncer

	postgres *query.Database // with -follow
	slot     *query.Slot     // nil without -follow
}

func (c *cli) sync(ctx context.Context, o *syncOptions, environmentErr error) error {
	database, err := inputs.ParseDatabase(o.from)
	if err != nil {
		return err
	}
	statement, id, err := o.Statement()
	if err != nil {
		return err
	}
	if err := o.check(database); err != nil {
		return err
	}
	x, err := c.openIndex(o.Config, environmentErr)
	if err != nil {
		return err
	}
	defer x.Close()

	currency, err := loading.LiveCurrency(ctx, x.Engine)
	if err != nil {
		return err
	}
	o.AdoptCurrency(currency) // the first run chooses it from its rows

	if err := os.MkdirAll(o.Config.Data, 0o750); err != nil {
		return err
	}
	store, err := state.Open(ctx, filepath.Join(o.Config.Data, state.FileName))
	if err != nil {
		return err
	}
	defer store.Close()

	run, err := c.newRun(ctx, x, "sync", o.Config.Data, preparesDocuments)
	if err != nil {
		return err
	}
	if !o.once {
		run.options.Confirm = nil // nobody waits for the question
	}

	s := &syncRun{run: run, o: o, postgres: database.PostgreSQL}
	s.syncer = &dbsync.Syncer{
		Statement: statement, ID: id, ChangedAt: o.changedAt, Margin: o.margin,
		Reconcile: o.reconcile, Slot: o.following.Slot, MaxSpool: o.MaxDownload(),
		State: store, Loader: run.loader, Open: s.open, Options: s.loadOptions, Log: c.log(),
	}
	if database.MySQL != nil {
		s.syncer.Database = dbsync.NewMySQL(database.MySQL)
	} else {
		s.syncer.Follower = dbsync.NewPostgreSQL(database.PostgreSQL)
		s.syncer.Database = s.syncer.Follower
	}
	s.syncer.Source = s.source()

	// A process that ends after one round would open the index twice.
	if !o.once {
		s.syncer.Searcher = x.Engine
	}

	switch {
	case o.once:
		r, err := s.syncer.Round(ctx)
		return s.end(ctx, r, err)
	case o.follow:
		return s.repeat(ctx, s.follow)
	default:
		return s.repeat(ctx, s.poll)
	}
}

// source returns everything that the freelancers depend on besides the rows of the database.
func (s *syncRun) source() string {
	lines := []string{s.options.Run.Version, s.syncer.Database.String()}
	for _, name := range slices.Sorted(maps.Keys(s.options.Run.Options)) {
		if name != "from" && !slices.Contains(syncSchedule, name) {
			lines = append(lines, name+"="+s.options.Run.Options[name])
		}
	}
	return strings.Join(lines, "\n")
}

// open opens copied rows.
func (s *syncRun) open(ctx context.Context, rows source.Input, mapping string) (*inputs.Inputs, error) {
	in, err := inputs.OpenRows(ctx, rows, mapping, &s.o.Options, s.program())
	if err == nil && mapping == "" {
		in.PrintColumns(s.stdout)
	}
	return in, err
}

// loadOptions returns the options of a load of inputs, or of a change without any.
func (s *syncRun) loadOptions(in *inputs.Inputs) (bulk.Options, error) {
	options := s.options
	options.Run.Options = maps.Clone(options.Run.Options)
	s.o.RecordRates(options.Run.Options)
	options.Source = s.syncer.Database.Format()
	options.Currency = strings.ToUpper(s.o.Source.Currency)
	options.CurrencyBy = s.o.CurrencyBy
	options.HoursPerDay = s.o.Source.HoursPerDay
	options.RatesDates = s.o.RatesDates
	options.MaxFailures = s.o.maxFailures
	options.AllowShrink = s.o.allowShrink
	options.DeadLetters = s.deadLetters

	if in == nil {
		return options, nil
	}
	var err error
	options.Run.Mapping, err = in.Mapping()
	return options, err
}

// deadLetters returns the file for rejected rows. There may be several changes in place in a second.
func (s *syncRun) deadLetters(index string) string {
	if strings.Contains(index, ".") { // the index and the time of the change
		index += s.now().UTC().Format(".000000000")
	}
	return setup.DeadLetterFile(s.data, index)
}

// end records and prints what a round did.
func (s *syncRun) end(ctx context.Context, r *dbsync.Round, err error) error {
	s.display.End()
	if r.Kind == dbsync.Full {
		s.endLoad(r, err)
	}

	if s.o.metricsFile != "" {
		metricsErr := s.syncer.WriteMetrics(context.WithoutCancel(ctx), s.o.metricsFile, r, err, s.slot)
		if metricsErr != nil {
			s.log().Warn("metrics not written", "file", s.o.metricsFile, "error", metricsErr)
		}
	}

	if r.Unusable > 0 {
		s.log().Warn("rows without a usable id left out", "rows", r.Unusable,
			"reason", "e-mail addresses, words such as none, and more than 200 characters can't be ids")
	}
	if err != nil {
		report := r.Load
		if report == nil {
			report = &bulk.Report{}
		}
		return advise(err, report)
	}

	s.output.result = describeRound(r)
	if s.o.once {
		fmt.Fprintf(s.stdout, "%s, %s changed, %s deleted, %s rejected, in %s\n", r.Kind,
			format.Count(r.Changed, "freelancer", ""), format.Number(r.Deleted), format.Count(r.Rejected, "row", ""),
			r.Elapsed.Round(10*time.Millisecond))
		return nil
	}

	s.log().Info("index synchronized", roundAttributes(r)...)
	return nil
}

// endLoad reports a full round as load does.
func (s *syncRun) endLoad(r *dbsync.Round, err error) {
	if r.Reason != "" {
		s.log().Info("all rows loaded", "reason", r.Reason)
	}
	o := &loadOptions{Options: s.o.Options, taxonomy: s.options.Taxonomy}
	s.recordLoad(o, []string{s.o.from}, s.now().Add(-r.Elapsed), r.Load, err)
	if r.Load == nil {
		return
	}
	s.printer().Report(r.Load)
	if err := s.removeOld(r.Load); err != nil {
		s.log().Warn("old files not removed", "error", err)
	}
}

// A roundResult is what sync -once prints with -json.
type roundResult struct {
	Kind     dbsync.Kind `json:"kind"` // full, comparison, delta or followed
	Reason   string      `json:"reason,omitempty"`
	Index    string      `json:"index"`
	Changed  int         `json:"changed"`
	Deleted  int         `json:"deleted"`
	Rejected int         `json:"rejected"`
	Unusable int         `json:"unusable"`
	Seconds  float64     `json:"seconds"`
}

func describeRound(r *dbsync.Round) roundResult {
	return roundResult{r.Kind, r.Reason, r.Index, r.Changed, r.Deleted, r.Rejected, r.Unusable, r.Elapsed.Seconds()}
}

// roundAttributes describes a round in the log.
func roundAttributes(r *dbsync.Round) []any {
	attributes := []any{
		"kind", r.Kind, "index", r.Index, "changed", r.Changed, "deleted", r.Deleted, "rejected", r.Rejected,
		"took", r.Elapsed.Round(time.Millisecond),
	}
	if r.Lag > 0 {
		attributes = append(attributes, "lag", r.Lag.Round(time.Millisecond))
	}
	return attributes
}

// firstRetry and longestRetry limit the wait after a failed round.
const (
	firstRetry   = time.Second
	longestRetry = time.Minute
)

// repeat calls work until ctx ends. After a failure it waits, longer each time.
func (s *syncRun) repeat(ctx context.Context, work func(ctx context.Context, succeeded func()) error) error {
	for attempt := 0; ctx.Err() == nil; attempt++ {
		err := work(ctx, func() { attempt = 0 })
		if isUsage(err) {
			return err
		}
		if ctx.Err() == nil {
			wait := retry.Backoff(attempt, firstRetry, longestRetry)
			s.log().Error("synchronization failed", "error", err, "retry_in", wait.Round(time.Millisecond))
			_ = retry.Sleep(ctx, wait) // the loop ends with ctx
		}
	}
	return nil // stopped, which is how it ends
}

// poll starts rounds until one fails.
func (s *syncRun) poll(ctx context.Context, succeeded func()) error {
	for {
		started := s.now()
		r, err := s.syncer.Round(ctx)
		if err := s.end(ctx, r, err); err != nil {
			return err
		}
		succeeded()
		if err := retry.Sleep(ctx, s.o.every-s.now().Sub(started)); err != nil {
			return err
		}
	}
}

// follow applies the changes of a stream until it breaks. Changes that have not been acknowledged are sent again.
func (s *syncRun) follow(ctx context.Context, succeeded func()) (err error) {
	following := &s.o.following
	if s.slot, err = s.postgres.CheckSlot(ctx, following); err != nil {
		return adviseSetup(err)
	}
	continues, err := s.syncer.Continues(ctx, s.slot)
	if err != nil {
		return err
	}
	stream, err := s.postgres.Stream(ctx, following)
	if err != nil {
		return err
	}

	// The stream ends when this function does, and this function when the stream does.
	ctx, stop := context.WithCancelCause(ctx)
	received := make(chan struct{})
	go func() {
		defer close(received)
		stop(stream.Run(ctx))
	}()
	defer func() {
		stop(nil)
		<-received
		err = errors.Join(err, stream.Close(ctx))
	}()

	return s.applyStream(ctx, stream, !continues, succeeded)
}

// idleRound is the time after which a round takes place without changes: it acknowledges what the server has logged
// about other tables, and compares all rows if that is due.
const idleRound = 10 * time.Second

// applyStream applies batches of changes. If all is set, the first round compares all rows.
func (s *syncRun) applyStream(ctx context.Context, stream *query.Stream, all bool, succeeded func()) error {
	for {
		batch := stream.Take()
		batch.All = batch.All || all
		r, err := s.syncer.Follow(ctx, batch)
		if ctx.Err() != nil {
			err = errors.Join(context.Cause(ctx), err)
		}
		if err := s.end(ctx, r, err); err != nil {
			return err
		}

		stream.Acknowledge(batch.Position)
		succeeded()
		all = false

		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-stream.Arrived():
		case <-time.After(idleRound):
		}
	}
}
