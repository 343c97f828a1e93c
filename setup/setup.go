// Package setup opens the parts that the server, the indexer and the tools share, according to the configuration: the
// search engine, the taxonomy, the résumé parser and the database. No other package knows which engine and which
// database are in use.
package setup

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/engine/embedded"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/dictionary"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/match/encoding"
	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/taxonomy"
)

// Names within the data folder.
const (
	indexesDir   = "indexes"
	databaseFile = "matching.db"
	vectorFile   = "encoder/vectors.bin"

	// DeadLettersDir has one file for each load that rejected rows.
	DeadLettersDir = "dead-letters"
)

// Engine is a search engine as the programs use it.
type Engine interface {
	engine.Searcher
	engine.Indexer
	engine.Checker
	Close() error
}

// Index is an engine together with what briefs and documents are prepared with.
type Index struct {
	Engine   Engine
	Taxonomy *taxonomy.Taxonomy
	Analyzer *analysis.Analyzer
	Vectors  *embedding.Model
	Rates    *exchange.File   // nil if none is configured
	Now      func() time.Time // the clock
	config   config.Config
	log      *slog.Logger
	logged   sync.Map // texts of problems with the list of erased people
}

// KeepIndexes returns the number of finished indexes that a load keeps; 0 for all.
func (x *Index) KeepIndexes() int { return x.config.Retention.Indexes }

// OpenIndex opens the configured engine: Elasticsearch, which doesn't have to be reachable yet, or the embedded engine
// in the data folder, which is created if missing.
func OpenIndex(c config.Config, log *slog.Logger) (*Index, error) {
	skills, err := LoadTaxonomy(c.SkillsFile)
	if err != nil {
		return nil, err
	}

	vectors, err := embedding.Load()
	if err != nil {
		return nil, err
	}

	rates, err := openRates(c.ExchangeRates, log)
	if err != nil {
		return nil, err
	}

	e, err := openEngine(c, log)
	if err != nil {
		return nil, err
	}

	// The engine is opened last, so no earlier failure has to close it.
	return &Index{
		Engine:   e,
		Taxonomy: skills,
		Analyzer: analysis.New(),
		Vectors:  vectors,
		Rates:    rates,
		Now:      time.Now,
		config:   c,
		log:      log,
	}, nil
}

// Generated returns an index for generated freelancers in a folder of its own, with the embedded engine. It shares the
// taxonomy, the word vectors and the exchange rates of x, and nothing else. The caller must close it.
func (x *Index) Generated(folder string) (*Index, error) {
	c := config.Default()
	c.Data = folder
	e, err := openEngine(c, x.log)
	if err != nil {
		return nil, err
	}
	return &Index{
		Engine: e, Taxonomy: x.Taxonomy, Analyzer: x.Analyzer, Vectors: x.Vectors, Rates: x.Rates, Now: x.Now, config: c,
		log: x.log,
	}, nil
}

// openRates opens the table of exchange rates, or returns nil if there is none.
func openRates(c config.ExchangeRates, log *slog.Logger) (*exchange.File, error) {
	if c.File == "" {
		return nil, nil
	}
	file, err := exchange.Open(c.File, int(c.MaxAge/config.Day), time.Now, log)
	if err != nil {
		return nil, fmt.Errorf("read the exchange rates (exchange-rates): %w", err)
	}
	return file, nil
}

func openEngine(c config.Config, log *slog.Logger) (Engine, error) {
	if !c.Elasticsearch.On() {
		return embedded.Open(filepath.Join(c.Data, indexesDir), embedded.Options{Log: log})
	}
	s := c.Elasticsearch
	o := elastic.DefaultOptions()
	o.URLs = s.URLs
	o.Username = s.Username
	o.Password = s.Password.Get
	o.APIKey = s.APIKey.Get
	o.CACert = s.CACert
	o.Prefix = s.Prefix
	o.Shards = s.Shards
	o.Replicas = s.Replicas
	o.Writers = s.Writers
	o.Log = log
	return elastic.Open(o)
}

// DeadLetterFile returns the file in a data folder for the dead letters of an index.
func DeadLetterFile(data, index string) string {
	return filepath.Join(data, DeadLettersDir, index+".ndjson")
}

// ExpireDeadLetters removes the files with dead letters whose retention has ended, and returns their names.
func (x *Index) ExpireDeadLetters(now time.Time) (removed []string, err error) {
	letters := people.Letters(filepath.Join(x.config.Data, DeadLettersDir))
	return letters.Expire(now.Add(-x.config.Retention.DeadLetters))
}

// VectorFile returns the file in a data folder with the vectors of profiles by the sentence encoder.
func VectorFile(data string) string { return filepath.Join(data, filepath.FromSlash(vectorFile)) }

// Formats returns the version of the index format that each engine writes and searches.
func Formats() map[string]int {
	return map[string]int{"embedded": embedded.Format, "elasticsearch": elastic.Format}
}

// EngineName returns "elasticsearch" or "embedded".
func (x *Index) EngineName() string {
	if x.config.Elasticsearch.On() {
		return "elasticsearch"
	}
	return "embedded"
}

// Describe returns where the indexes are, for messages.
func (x *Index) Describe() string {
	e := x.config.Elasticsearch
	if !e.On() {
		return "the data folder " + x.config.Data
	}
	place := "Elasticsearch at " + strings.Join(e.URLs, ", ")
	if e.Prefix != "" {
		place += " (index names start with " + e.Prefix + ")"
	}
	return place
}

// Close stops the engine's background work.
func (x *Index) Close() error { return x.Engine.Close() }

// Preparer returns a preparer that turns freelancers into documents of this index. If an embeddings server is
// configured, it must be reachable.
func (x *Index) Preparer(ctx context.Context) (*documents.Preparer, error) {
	embedders := []documents.Embedder{x.Vectors}
	if x.config.Embeddings.On() {
		r, err := loadEmbedder(ctx, x.config, x.log)
		if err != nil {
			return nil, err
		}
		embedders = append(embedders, r)
	}
	return documents.NewPreparer(x.Taxonomy, x.Analyzer, embedders...), nil
}

// ChangePreparer returns a preparer like Preparer, for changes while a client waits.
func (x *Index) ChangePreparer(ctx context.Context) (*documents.Preparer, error) {
	embedders := []documents.Embedder{x.Vectors}
	if x.config.Embeddings.On() {
		r, err := changeEmbedder(ctx, x.config, x.log)
		if err != nil {
			return nil, err
		}
		embedders = append(embedders, r)
	}
	return documents.NewPreparer(x.Taxonomy, x.Analyzer, embedders...), nil
}

// Service returns the service that matches briefs against this index. It does without the embeddings server when that
// doesn't answer, and without the sentence encoder if encoding is nil.
func (x *Index) Service(encoding *encoding.Service) (*match.Service, error) {
	var encoder match.Encoder
	if encoding != nil {
		encoder = encoding
	}

	var model documents.Embedder
	if x.config.Embeddings.On() {
		r, err := queryEmbedder(x.config, x.log)
		if err != nil {
			return nil, err
		}
		model = r
	}
	window := match.DefaultWindow
	if x.config.Elasticsearch.On() {
		window = elastic.DefaultWindow
	}
	return match.New(match.Config{
		Engine: x.Engine, Taxonomy: x.Taxonomy, Analyzer: x.Analyzer, Embedder: x.Vectors, Model: model,
		Encoder: encoder, Preparer: x.ChangePreparer,
		Dictionary: dictionary.Open(mappings.Dictionary(), x.Analyzer), Rates: x.Rates.Table, Window: window,
		Now: x.Now, Log: x.log,
	})
}

// Verifier returns the service that verifies skills against the taxonomy and this index. It consults verdicts about
// unknown words unless verdicts is nil.
func (x *Index) Verifier(verdicts *skills.Verdicts) *skills.Service {
	return skills.New(skills.Config{
		Engine: x.Engine, Alias: match.Alias, Taxonomy: x.Taxonomy, Verdicts: verdicts, Log: x.log,
	})
}

// indexName returns the name of an index that was created at a time, to the second.
func indexName(created time.Time) string {
	return "freelancers-v1-" + created.Format("20060102t150405z")
}

// Fill creates an index of freelancers and points the alias to it. It is meant for a few thousand generated
// freelancers: unlike the indexer, it neither checks nor merges them.
func (x *Index) Fill(
	ctx context.Context, freelancers iter.Seq[matching.Freelancer], source, currency string,
) error {
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		return err
	}

	preparer, err := x.Preparer(ctx)
	if err != nil {
		return err
	}

	now := x.Now().UTC().Truncate(time.Second)
	spec := engine.Spec{
		Name:    indexName(now),
		Mapping: mapping, Source: source, Currency: currency, Taxonomy: x.Taxonomy.Version(),
		Vectors: preparer.Spaces(), Created: now,
	}

	// Where the clock stands still, as in test mode, the name may be that of the index before.
	for err = x.Engine.Create(ctx, spec); errors.Is(err, engine.ErrConflict); err = x.Engine.Create(ctx, spec) {
		now = now.Add(time.Second)
		spec.Name = indexName(now)
	}
	if err != nil {
		return err
	}

	bulk, err := x.Engine.Bulk(ctx, spec.Name, nil)
	if err != nil {
		return err
	}
	// Abort does nothing after Close.
	defer bulk.Abort()

	documents, err := preparer.Prepare(ctx, slices.Collect(freelancers))
	if err != nil {
		return err
	}

	for _, d := range documents {
		if err := bulk.Add(ctx, d); err != nil {
			return fmt.Errorf("add freelancer %q: %w", d.Freelancer.ID, err)
		}
	}

	if _, err := bulk.Close(ctx); err != nil {
		return err
	}

	// Only a complete index becomes visible to requests.
	_, err = x.Engine.PointAlias(ctx, match.Alias, spec.Name)

	return err
}
