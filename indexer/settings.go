package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"freelancer-matching/indexer/bulk"
	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/config"
	"freelancer-matching/internal/setup"
	"freelancer-matching/mappings"
	"freelancer-matching/match"
)

// deadLettersDir is the folder, in the data folder, with the dead letters of each index.
const deadLettersDir = "dead-letters"

// indexSettings are the settings of every command on indexes: where they are.
func indexSettings() []string {
	return []string{
		"data", "elasticsearch-url", "elasticsearch-user", "elasticsearch-password-file", "elasticsearch-api-key-file",
		"elasticsearch-ca-file", "elasticsearch-prefix",
	}
}

// makingSettings are those of commands that may make an index besides: of what kind, with which skills and vectors.
func makingSettings() []string {
	return append(indexSettings(), "skills-file", "elasticsearch-shards", "elasticsearch-replicas", "elasticsearch-writers",
		"embeddings-url", "embeddings-key-file",
		"embeddings-model", "embeddings-dimensions")
}

// dataCommand is a command without arguments on indexes that exist.
func (c *cli) dataCommand(
	cmd command, names []string, run func(ctx context.Context, x *setup.Index, data string) error,
) *command {
	settings := config.Default()
	faults := config.Bind(&settings, cmd.flags, c.environment, names...)
	cmd.run = func(ctx context.Context, _ []string) error {
		if _, err := os.Stat(settings.Data); !settings.Elasticsearch.On() && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no data folder %q: name another with -data, or make it with indexer load FILE", settings.Data)
		}
		x, err := c.openIndex(settings, faults)
		if err != nil {
			return err
		}
		defer x.Close()
		return run(ctx, x, settings.Data)
	}
	return &cmd
}

// openIndex opens the engine that the settings name; faults are those of the environment.
func (c *cli) openIndex(settings config.Config, faults error) (*setup.Index, error) {
	if err := errors.Join(faults, settings.Validate()); err != nil {
		return nil, &commandline.UsageError{Message: err.Error()}
	}
	return setup.OpenIndex(settings, c.log())
}

// loader makes and changes indexes. Without documents to prepare, prepares is false.
func (c *cli) loader(ctx context.Context, x *setup.Index, prepares bool) (*bulk.Loader, error) {
	l := &bulk.Loader{Indexer: x.Engine, Log: c.log(), Now: c.now}
	if !prepares {
		return l, nil
	}
	preparer, err := x.Preparer(ctx)
	if err != nil {
		return nil, err
	}
	l.Preparer = preparer
	return l, nil
}

// options are those of every command that makes or changes an index.
func (c *cli) options(x *setup.Index, work, data string, d *display) (bulk.Options, error) {
	mapping, err := mappings.Load(mappings.Freelancers)
	return bulk.Options{
		Owner: c.owner(work), Alias: match.Alias, Mapping: mapping, Taxonomy: x.Taxonomy.Version(), Progress: d.show,
		DeadLetters: func(index string) string { return filepath.Join(data, deadLettersDir, index+".ndjson") },
	}, err
}

// owner is what another indexer is told while this one works.
func (c *cli) owner(work string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf("indexer %s, process %d on %s, since %s", work, os.Getpid(), host, c.now().UTC().Format(timeFormat))
}

// unchanged adds to a failure how it left things, where the failure does not say so itself.
func unchanged(err error) error {
	if _, ok := errors.AsType[*bulk.PartialError](err); ok || err == nil {
		return err
	}
	if _, ok := errors.AsType[*commandline.UsageError](err); ok {
		return err
	}
	return fmt.Errorf("%w\nNothing was changed: what was live before still is", err)
}
