package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/lastload"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/encoding"
	"github.com/freelancer-matching/service/server/uploads"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/taxonomy"
)

const (
	// uploadsDir is the folder for uploads in the data folder.
	uploadsDir = "uploads"
	// maxUploadWait is how long a load waits after each batch while requests run.
	maxUploadWait = 50 * time.Millisecond
	// uploadOption is the name under which the provenance of an index records the upload that it was loaded from.
	uploadOption = "upload"
)

// openUploads opens the service for uploads.
func (s *Server) openUploads() error {
	self, err := s.Index.Instance()
	if err != nil {
		return err
	}
	s.uploads, err = uploads.Open(uploads.Config{
		Folder: filepath.Join(s.config.Data, uploadsDir), Server: self.ID, MaxBytes: int64(s.config.UploadMaxMB) * 1_000_000,
		Loader: &uploadLoader{
			index: s.Index, data: s.config.Data, version: s.config.Version, requests: &s.requests, log: s.log, now: s.now,
		},
		Reaches: s.reachesAll, Log: s.DB.AuditLog, Refused: s.loadRefused, Logger: s.log, Now: s.now,
	})
	return err
}

// reachesAll returns an error if other servers that share the database have indexes of their own, which a load on this
// one doesn't change.
func (s *Server) reachesAll(ctx context.Context) error {
	if s.servers == nil {
		return nil
	}
	indexes, err := s.servers.Indexes(ctx)
	if err != nil || indexes <= 1 {
		return err
	}
	return &matching.Error{
		Code: freelancers.CodeSeveralServers,
		Message: fmt.Sprintf("%d servers with indexes of their own share the database, and a load over HTTP would reach "+
			"only one. Run indexer load on each machine, or let all servers use Elasticsearch.", indexes),
	}
}

// uploadLoader implements uploads.Loader with the code of the indexer. It gives way to requests.
type uploadLoader struct {
	index    *setup.Index
	data     string // folder
	version  string // of the program
	requests *encoding.Gate
	log      *slog.Logger
	now      func() time.Time
}

// Preview implements uploads.Loader.
func (l *uploadLoader) Preview(
	ctx context.Context, u *uploads.Upload, path string, observe func(uploads.Progress),
) (*uploads.Preview, error) {
	live, err := loading.Live(ctx, l.index.Engine)
	if err != nil {
		return nil, err
	}
	in, options, err := l.open(ctx, u, path, live, observe)
	if err != nil {
		return nil, err
	}

	look, err := u.Options.Mode.Look(ctx, l.index.Engine, live, in.Files, options)
	preview := describeUpload(in, look, options.Currency)
	if err != nil {
		return preview, refusal(ctx, err)
	}
	preview.After = &uploads.Figures{Freelancers: look.After.Freelancers, Known: look.After.Coverage}

	return preview, nil
}

// Publish implements uploads.Loader.
func (l *uploadLoader) Publish(
	ctx context.Context, u *uploads.Upload, path string, observe func(uploads.Progress),
) (index, previous string, err error) {
	started := l.now()
	live, err := loading.Live(ctx, l.index.Engine)
	if err != nil {
		return "", "", err
	}
	in, options, err := l.open(ctx, u, path, live, observe)
	if err != nil {
		return "", "", err
	}

	preparer, err := l.index.Preparer(ctx)
	if err != nil {
		return "", "", err
	}
	if options.Run.Mapping, err = in.Mapping(); err != nil {
		return "", "", err
	}
	options.Source = in.Source()

	loader := &bulk.Loader{
		Indexer: l.index.Engine, Preparer: &yieldingPreparer{preparer, l.pause}, Log: l.log, Now: l.now,
	}
	report, err := u.Options.Mode.Run(ctx, loader, in.Files, options)
	l.record(u, started, options, report, err)
	if report.Index != "" {
		if err != nil { // the load is live, but old indexes or changes of others may be left
			l.log.ErrorContext(ctx, "load incomplete", "load", u.ID, "index", report.Index, "error", err)
		}
		return report.Index, report.Previous, nil
	}

	return "", "", refusal(ctx, err)
}

// open opens the file of an upload, and returns the options with which it is read and loaded.
func (l *uploadLoader) open(
	ctx context.Context, u *uploads.Upload, path string, live *engine.Info, observe func(uploads.Progress),
) (*loading.Inputs, bulk.Options, error) {
	o := &u.Options
	run := engine.Run{Command: "load", Version: cmp.Or(l.version, "unknown"), User: u.Actor, Options: map[string]string{
		uploadOption: u.ID,
	}}
	if o.Mode == loading.Upsert {
		run.Options["upsert"] = "true"
	}

	options, err := loading.Options(l.index, l.data, loading.Owner("upload "+u.ID, l.now()), run)
	if err != nil {
		return nil, options, err
	}

	file := loading.FileOptions{
		AllowKind: o.AllowKind, Sheet: o.Sheet, SkipLines: o.SkipLines,
		NoHeader: o.NoHeader, Encoding: o.Encoding, Year: l.now().Year(),
		Vocabulary: loading.Vocabulary{Taxonomy: func() (*taxonomy.Taxonomy, error) { return l.index.Taxonomy, nil }},
	}
	for _, choice := range o.Columns {
		file.Choices = append(file.Choices, loading.Choice(choice))
	}

	in, err := loading.OpenFile(path, u.File, file)
	if err != nil {
		code := uploads.CodeUnreadable
		if found := loading.FailureCode(err); found != "failed" {
			code = found
		}
		return nil, options, &uploads.RefusedError{Code: code, Err: err}
	}

	options.MaxFailures = bulk.DefaultLimit()
	if o.MaxFailures != "" {
		if options.MaxFailures, err = bulk.ParseLimit(o.MaxFailures); err != nil {
			return nil, options, &uploads.RefusedError{Code: uploads.CodeUnreadable, Err: err}
		}
	}

	if err := l.chooseCurrency(ctx, in, &options, o.Currency, live); err != nil {
		return nil, options, err
	}
	options.HoursPerDay = value.DefaultHoursPerDay
	options.AllowShrink = u.AllowShrink
	options.NewIndex = true // so that an upsert can be taken back, too
	options.Workers = max(1, runtime.GOMAXPROCS(0)/2)
	options.Progress = func(p bulk.Progress) {
		observe(uploads.Progress{Stage: string(p.Stage), Rows: p.Rows, Bytes: p.Bytes, Size: p.Size})
		_ = l.pause(ctx) // the reader notices by itself that the context has ended
	}

	return in, options, nil
}

// chooseCurrency sets the currency of the amounts: the one that the upload names, that of the live index or, in a first
// load, the one that all hourly rates name.
func (l *uploadLoader) chooseCurrency(
	ctx context.Context, in *loading.Inputs, options *bulk.Options, named string, live *engine.Info,
) (err error) {
	options.Currency = strings.ToUpper(named)
	if named == "" {
		code := ""
		if live != nil {
			code = live.Currency
		}
		if options.Currency, options.CurrencyBy, err = in.ChooseCurrency(ctx, code); err != nil {
			return &uploads.RefusedError{Code: uploads.CodeUnreadable, Err: err}
		}
	}

	var rates map[string]float64
	rates, options.RatesDates = exchangeRates(l.index.Rates, options.Currency)
	in.SetAmounts(options.Currency, rates)

	// An unknown code is noticed here, and not as a failure to read the rows.
	f, err := in.Files[0].Open()
	if err != nil {
		return &uploads.RefusedError{Code: uploads.CodeUnreadable, Err: err}
	}
	return f.Close()
}

// exchangeRates returns the exchange rates for a currency, and their days. from is nil if the server has none.
func exchangeRates(from *exchange.File, currency string) (rates map[string]float64, dates map[string]string) {
	rates = make(map[string]float64)
	dates = make(map[string]string)
	if from == nil {
		return rates, dates
	}
	table := from.Table()
	for code, rate := range table.In(currency) {
		if code != currency {
			rates[code] = rate
			dates[code] = table.Date()
		}
	}
	return rates, dates
}

// pause waits while requests run, for a short time.
func (l *uploadLoader) pause(ctx context.Context) error {
	timer := time.NewTimer(maxUploadWait)
	defer timer.Stop()
	return l.requests.Wait(ctx, timer.C)
}

// record adds the load to the history.
func (l *uploadLoader) record(
	u *uploads.Upload, started time.Time, options bulk.Options, report *bulk.Report, err error,
) {
	r := loading.Record{
		Mode: u.Options.Mode, Version: l.version, User: u.Actor, Started: started, Finished: l.now(),
		Currency: options.Currency, Taxonomy: options.Taxonomy, Name: func(name string) string { return name },
		Report: report, Err: err,
	}
	if u.Preview != nil {
		c := &u.Preview.Changes
		r.Changes = &lastload.Changes{Added: c.New, Removed: c.Gone, Changed: c.Changed}
	}
	if err != nil {
		r.Code = loading.FailureCode(err)
	}
	if len(report.Files) == 0 {
		r.Unread = []string{u.File}
	}
	r.Write(l.data, l.log)
}

// Published implements uploads.Loader.
func (l *uploadLoader) Published(ctx context.Context, id string) (index, previous string, err error) {
	live, err := loading.Live(ctx, l.index.Engine)
	if err != nil || live == nil || live.Provenance == nil {
		return "", "", err
	}
	if live.Provenance.Options[uploadOption] != id {
		return "", "", nil
	}
	_, previous, err = l.index.Engine.Alias(ctx, match.Alias)
	return live.Name, previous, err
}

// Rollback implements uploads.Loader.
func (l *uploadLoader) Rollback(ctx context.Context, index, previous string) error {
	live, _, err := l.index.Engine.Alias(ctx, match.Alias)
	if err != nil {
		return err
	}
	if live != index {
		return &matching.Error{Code: uploads.CodeState, Message: fmt.Sprintf("Another load or rollback came after this one: "+
			"the index %s is live, and not %s. Run indexer rollback to choose an index.", live, index)}
	}

	_, _, err = loading.Rollback(ctx, l.index.Engine, previous, l.log)
	if errors.Is(err, engine.ErrNotFound) || engine.Unusable(err) {
		return &matching.Error{
			Code: uploads.CodeState, Cause: err,
			Message: fmt.Sprintf("The index %s, which was live before, was removed or is damaged. Load another file.", previous),
		}
	}
	return err
}

// refusal returns the error of a load as a *uploads.RefusedError if its data is at fault, or if it has to wait for
// another load.
func refusal(ctx context.Context, err error) error {
	code := loading.FailureCode(err)
	_, isCoded := errors.AsType[*matching.Error](err)
	lost := engine.Unusable(err) || errors.Is(err, engine.ErrNotFound) || isCoded
	_, isCurrency := errors.AsType[*bulk.CurrencyError](err)
	_, isUnread := errors.AsType[*bulk.UnreadError](err)
	_, isVectors := errors.AsType[*bulk.VectorsError](err)
	isData := isCurrency || isUnread || isVectors || code != "failed"
	if err == nil || ctx.Err() != nil || lost || !isData {
		return cmp.Or(ctx.Err(), err)
	}
	return &uploads.RefusedError{Code: code, Err: err}
}

// yieldingPreparer pauses before each batch while requests run.
type yieldingPreparer struct {
	bulk.Preparer
	pause func(ctx context.Context) error
}

// Prepare implements bulk.Preparer.
func (p *yieldingPreparer) Prepare(
	ctx context.Context, freelancers []matching.Freelancer,
) ([]*engine.Document, error) {
	if err := p.pause(ctx); err != nil {
		return nil, err
	}
	return p.Preparer.Prepare(ctx, freelancers)
}
