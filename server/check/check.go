// Package check examines an installation without changing it: data folder, disk, database, mail server, indexes, clocks
// and versions.
package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/redis"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/instances"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/store"
)

// The states of a Finding.
const (
	OK      = "OK"
	Warning = "WARNING"
	Error   = "ERROR"
)

// A Finding is what was found out about one subject.
type Finding struct {
	State   string // OK, Warning or Error
	Subject string // such as "database"
	Text    string
	Next    string // what the operator can do; "" if there is nothing to do
}

const (
	// leastSpace is the free space, in bytes, with which a server can still store what it must.
	leastSpace = 64 << 20
	// spareSpace is what should be free besides the space of another copy of the live index, which each load needs.
	spareSpace = 256 << 20
	// minRedis is the oldest supported version of Redis.
	minRedis = 6
)

// A checker collects findings about one installation.
type checker struct {
	config   config.Config
	now      func() time.Time
	isErased func(*matching.Freelancer) bool // nil if nobody is, or if the list can't be read
	findings []Finding
}

// Run examines the installation that the configuration names. The log receives the warnings of its parts.
func Run(ctx context.Context, c config.Config, now func() time.Time, log *slog.Logger) []Finding {
	k := &checker{config: c, now: now}
	k.versions()
	if !k.folder() {
		return k.findings
	}
	k.secrets()
	k.database(ctx)
	k.erased(ctx)
	k.redis(ctx)
	k.notices(ctx)
	liveBytes := k.index(ctx, log)
	k.space(liveBytes)
	return k.findings
}

func (k *checker) add(state, subject, text, next string) {
	k.findings = append(k.findings, Finding{state, subject, text, next})
}

func (k *checker) versions() {
	k.add(OK, "version", fmt.Sprintf("server %s, %s", k.config.Version, runtime.Version()), "")
}

// folder reports whether there is a data folder.
func (k *checker) folder() bool {
	path := k.config.Data
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		k.add(Error, "data folder", path+" does not exist",
			"name the server's data folder with -data; the indexer and the server create it")
	case err != nil:
		k.add(Error, "data folder", err.Error(), "run this command as the user that runs the server")
	case !info.IsDir():
		k.add(Error, "data folder", path+" is not a folder", "name the server's data folder with -data")
	case info.Mode().Perm()&0o007 != 0:
		k.add(Warning, "data folder", fmt.Sprintf("%s is open to all users of this machine (%s)", path, info.Mode().Perm()),
			"chmod o-rwx "+path)
		// Open permissions are a warning: the server works, and the checks that follow can run.
		return true

	default:
		k.add(OK, "data folder", fmt.Sprintf("%s (%s)", path, info.Mode().Perm()), "")
		return true
	}

	return false
}

// secrets checks that other users can read neither the database nor the files of secrets.
func (k *checker) secrets() {
	// The pattern includes the write-ahead log, which has the newest rows.
	files, err := filepath.Glob(filepath.Join(k.config.Data, "matching.db*"))
	if err != nil {
		k.add(Error, "secrets", err.Error(), "")
		return
	}

	files = append(files, k.config.SecretFiles()...)
	if k.config.TLS.Key != "" {
		files = append(files, k.config.TLS.Key)
	}

	var open []string
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o007 != 0 {
			open = append(open, file)
		}
	}

	if len(open) > 0 {
		k.add(Warning, "secrets", "all users of this machine can read "+strings.Join(open, ", "),
			"chmod o-rwx "+strings.Join(open, " "))
		return
	}

	k.add(OK, "secrets", "other users of this machine cannot read the database and the files of secrets", "")
}

func (k *checker) database(ctx context.Context) {
	const subject = "database"
	report, err := setup.CheckDatabase(ctx, k.config)
	if errors.Is(err, fs.ErrNotExist) {
		k.add(Warning, subject, "there is no database yet", "start the server, which creates it")
		return
	}

	if err != nil {
		k.add(Error, subject, describe(err), k.databaseRemedy(err))
		return
	}

	schema := fmt.Sprintf("%s, schema version %d", report.Product, report.Version)
	switch {
	case len(report.Problems) > 0:
		k.add(Error, subject, schema+", damaged: "+strings.Join(report.Problems, "; "),
			"stop the server and run server restore FILE")
	case report.Version > report.Latest:
		k.add(Error, subject, fmt.Sprintf("%s, but this program supports versions up to %d", schema, report.Latest),
			"install the newer release")
	case report.Version < report.Latest:
		k.add(Warning, subject, fmt.Sprintf("%s; this program migrates it to version %d when the server starts", schema,
			report.Latest), "make a backup with server backup FILE first")
	default:
		k.add(OK, subject, schema, "")
	}

	k.servers(report)

	// A newest entry in the future shows that a clock once ran ahead.
	k.clock("database's newest entry", report.Newest, false)
	k.clock("database server", report.Clock, true)
}

// servers lists the servers that share the database. The clocks of other machines may differ from this one's.
func (k *checker) servers(report store.Report) {
	const subject = "servers"
	running := slices.DeleteFunc(slices.Clone(report.Servers), func(i instances.Instance) bool {
		return k.now().Sub(i.Seen) > instances.LiveFor+quota.MaxLag
	})
	for _, i := range running {
		text := fmt.Sprintf("%s on %s, %s engine, %s, last seen %s", i.ID, i.Host, i.Engine, i.Folder,
			i.Seen.Format(time.RFC3339))
		if i.Engine == instances.Embedded && i.Erased < report.Erased {
			text += "; has not followed all erasures yet"
		}
		k.add(OK, subject, text, "")
	}

	if n := instances.Indexes(running); n > 1 {
		p := setup.SeveralServers(n)
		k.add(Warning, subject, p.Text, p.Next)
	}
}

// erased checks the list of erased people, without which the indexer loads nothing.
func (k *checker) erased(ctx context.Context) {
	const subject = "erased people"
	list, err := setup.ReadErased(ctx, k.config)
	if err != nil {
		k.add(Error, subject, describe(err), "repair what can't be read; without a copy of the list, erase the people again")
		return
	}

	k.isErased = list.Matcher()
	for _, p := range list.Problems {
		k.add(Warning, subject, p.Text, p.Next)
	}
	if len(list.Problems) == 0 && list.Len() > 0 {
		k.add(OK, subject, "the list has "+english.Plural(list.Len(), "ID or address", "IDs and addresses"), "")
	}
}

// databaseRemedy returns what to do about a database that cannot be checked.
func (k *checker) databaseRemedy(err error) string {
	switch {
	case k.config.Database.On():
		return "check PostgreSQL, -database-url and -database-password-file; the server creates the tables when it starts"
	case setup.DatabaseLost(err):
		return "put the file back, run server restore FILE, or start over with server -new-database"
	case matching.CodeOf(err) == matching.CodeDatabaseCorrupt:
		return "stop the server and run server restore FILE"
	default:
		return "see \"Troubleshoot\" in the documentation"
	}
}

// clock compares the clock of this machine with a time: one in the past, or the present time of another machine.
func (k *checker) clock(of string, at time.Time, present bool) {
	if at.IsZero() {
		return
	}
	ahead := at.Sub(k.now()).Round(time.Second) // of the other clock
	switch {
	case ahead > quota.MaxLag:
		k.add(Warning, "clock", fmt.Sprintf("this machine is %s behind the %s", ahead, of),
			"synchronize the clocks, for example with NTP")
	case present && ahead < -quota.MaxLag:
		k.add(Warning, "clock", fmt.Sprintf("this machine is %s ahead of the %s", -ahead, of),
			"synchronize the clocks, for example with NTP")
	default:
		k.add(OK, "clock", "agrees with the "+of, "")
	}
}

func (k *checker) redis(ctx context.Context) {
	if k.config.Quota.RedisURL == "" {
		return
	}

	const subject, next = "redis", "check Redis, -redis-url and -redis-password-file"
	s, err := redis.Open(redis.Options{
		URL: k.config.Quota.RedisURL, Password: k.config.Quota.RedisPassword.Get, Timeout: 5 * time.Second,
	})
	if err != nil {
		k.add(Error, subject, err.Error(), next)
		return
	}
	defer s.Close()

	version, clock, err := s.Describe(ctx)
	if err != nil {
		k.add(Error, subject, err.Error(), next)
		return
	}

	// A fork of Redis may have versions of another form, which say nothing about what it supports.
	var major int
	if _, err := fmt.Sscanf(version, "%d.", &major); err == nil && major < minRedis {
		k.add(Error, subject, "Redis "+version, "install Redis 6.2 or later")
	} else {
		k.add(OK, subject, strings.TrimSpace("Redis "+version), "")
	}

	k.clock("clock of Redis", clock, true)
}

// notices signs in to the mail server. An endpoint can't be tested without a message.
func (k *checker) notices(ctx context.Context) {
	const subject = "notices"
	channels, err := setup.OpenNotices(k.config)
	if err != nil {
		k.add(Error, subject, err.Error(), "correct the settings of notices")
		return
	}

	for _, channel := range channels {
		mailer, isMail := channel.Transport.(interface{ Check(context.Context) error })
		if !isMail {
			k.add(OK, subject, "configured by "+string(channel.Channel)+"; server notices test sends one", "")
			continue
		}
		if err := mailer.Check(ctx); err != nil {
			k.add(Error, subject, "mail server: "+err.Error(), "check the mail server, -smtp-url and -smtp-password-file")
			continue
		}
		k.add(OK, subject, "the mail server accepts the connection and the user", "")
	}
}

// index checks the live index, and returns how much space it takes.
func (k *checker) index(ctx context.Context, log *slog.Logger) (liveBytes int64) {
	const subject = "index"
	entries, err := os.ReadDir(filepath.Join(k.config.Data, "indexes"))
	nothingLoaded := errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0

	// Elasticsearch keeps its indexes elsewhere.
	if nothingLoaded && !k.config.Elasticsearch.On() {
		k.add(Warning, subject, "no freelancers are loaded", "indexer load FILE -data "+k.config.Data)
		return 0
	}

	x, err := setup.OpenIndex(k.config, log)
	if err != nil {
		k.add(Error, subject, err.Error(), "check the settings of the search engine")
		return 0
	}
	defer x.Close()

	if p, ok := x.Engine.(interface{ Ping(context.Context) error }); ok {
		if err := p.Ping(ctx); err != nil {
			k.add(Error, subject, err.Error(), "check Elasticsearch and its settings")
			return 0
		}
	}

	// A damaged alias doesn't hide the indexes, so the check goes on.
	if err := x.Engine.CheckAlias(ctx, match.Alias); err != nil && !errors.Is(err, engine.ErrNotFound) {
		k.add(Error, "alias", err.Error(), engine.Remedy(err))
	}

	infos, err := x.Engine.Indexes(ctx)
	if err != nil {
		k.add(Error, subject, err.Error(), engine.Remedy(err))
		return 0
	}

	live, _, err := x.Engine.Alias(ctx, match.Alias)
	if err != nil {
		k.add(Error, "alias", err.Error(), engine.Remedy(err))
		return 0
	}

	if live == "" {
		k.add(Warning, subject, "no index is live", "indexer load FILE, or indexer rollback if there was one")
	}

	// Only the live index is examined; others matter only if they are damaged.
	for _, info := range infos {
		switch {
		case info.Name == live:
			liveBytes = info.Bytes
			k.live(ctx, x, info)
		case info.Fault != "":
			k.add(Warning, subject, fmt.Sprintf("%s, which is not live: %s", info.Name, info.Fault), "indexer prune deletes it")
		}
	}

	return liveBytes
}

// live reads every record of the live index.
func (k *checker) live(ctx context.Context, x *setup.Index, info engine.Info) {
	if err := engine.Verify(ctx, x.Engine, info.Name); err != nil {
		k.add(Error, "index", err.Error(), engine.Remedy(err))
		return
	}
	k.add(OK, "index", fmt.Sprintf("%s, %s freelancers, %s", info.Name, humanize.Comma(int64(info.Documents)),
		humanize.IBytes(uint64(max(0, info.Bytes)))), "")
	k.liveErased(ctx, x, info.Name)
}

// liveErased looks for erased people in the live index, which may be an older copy.
func (k *checker) liveErased(ctx context.Context, x *setup.Index, index string) {
	if k.isErased == nil {
		return
	}

	found := 0
	for f, err := range x.Engine.Scan(ctx, index) {
		if err == nil && k.isErased(&f) { // Verify has reported errors
			found++
		}
	}

	if found > 0 {
		k.add(Error, "erased people", fmt.Sprintf("the live index has %s who were erased",
			english.Plural(found, "person", "people")), "run indexer reindex, which leaves them out, then "+
			"indexer prune -keep 0 -previous")
	}
}

// space checks the free space on the disk of the data folder.
func (k *checker) space(liveBytes int64) {
	free, err := freeSpace(k.config.Data)
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	text := humanize.IBytes(free) + " free"
	switch {
	case err != nil:
		k.add(Warning, "disk", err.Error(), "check the disk of "+k.config.Data)
	case free < leastSpace:
		k.add(Error, "disk", text, "free space; indexer prune deletes earlier indexes")
	case free < uint64(max(0, liveBytes))+spareSpace:
		k.add(Warning, "disk", text+", too little for another load", "free space; indexer prune deletes earlier indexes")
	default:
		k.add(OK, "disk", text, "")
	}
}

// describe returns an error with its cause first, without the message for clients.
func describe(err error) string {
	if e, ok := errors.AsType[*matching.Error](err); ok && e.Cause != nil {
		return strings.Replace(err.Error(), e.Error(), e.Cause.Error(), 1)
	}
	return err.Error()
}
