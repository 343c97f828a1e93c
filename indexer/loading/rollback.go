package loading

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/match"
)

// Finished reports whether an index is complete, and an alias has pointed to it.
func Finished(info engine.Info) bool { return info.Complete && !info.Pending }

// Indexes returns all indexes, oldest first, and the names of the live and the previous one.
func Indexes(ctx context.Context, e engine.Indexer) (infos []engine.Info, live, previous string, err error) {
	if infos, err = e.Indexes(ctx); err != nil {
		return nil, "", "", err
	}
	live, previous, err = e.Alias(ctx, match.Alias)
	return infos, live, previous, err
}

// Live describes the live index, or returns nil if there is none.
func Live(ctx context.Context, e engine.Indexer) (*engine.Info, error) {
	live, _, err := e.Alias(ctx, match.Alias)
	if err != nil || live == "" {
		return nil, err
	}
	infos, err := e.Indexes(ctx)
	for i := range infos {
		if infos[i].Name == live {
			return &infos[i], err
		}
	}
	return nil, err
}

// LiveCurrency returns the currency of the live index, or "" if none is live.
func LiveCurrency(ctx context.Context, e engine.Indexer) (string, error) {
	live, err := Live(ctx, e)
	if err != nil || live == nil {
		return "", err
	}
	return live.Currency, nil
}

// Rollback makes the index with a name live, or the previous one if the name is empty, and returns the names of both
// sides. It moves the alias without the engine's lock, so that it works while a load is running. The load then notices
// that the alias was moved, and doesn't go live.
func Rollback(ctx context.Context, e engine.Indexer, name string, log *slog.Logger) (to, from string, err error) {
	if to = name; to != "" {
		_, err = e.OpenIndex(ctx, to)
	} else {
		to, err = chooseRollback(ctx, e, log)
	}
	if err != nil {
		return "", "", err
	}
	from, err = e.PointAlias(ctx, match.Alias, to)
	return to, from, err
}

// chooseRollback returns the previous index, which must be readable. If no index is live, it returns the newest
// readable index; one that has been live before takes precedence.
func chooseRollback(ctx context.Context, e engine.Indexer, log *slog.Logger) (string, error) {
	infos, live, previous, err := Indexes(ctx, e)
	if err != nil {
		return "", err
	}
	if live != "" && previous == "" {
		return "", errors.New("there is no previous index; choose one from indexer status and name it with -to")
	}

	// The index is opened first, so that the alias never moves to one that the server can't read.
	if live != "" {
		if _, err := e.OpenIndex(ctx, previous); err != nil {
			return "", fmt.Errorf("the previous index can't be used: %w; choose another from indexer status and name it with "+
				"-to", err)
		}
		return previous, nil
	}

	if !slices.ContainsFunc(infos, func(info engine.Info) bool { return info.Complete || info.Fault != "" }) {
		return "", errors.New("there is no previous index; build one with indexer load FILE")
	}

	// Without a live index, damage is expected, so an index that can't be opened is skipped rather than reported.
	for _, wanted := range []func(engine.Info) bool{Finished, func(info engine.Info) bool { return info.Pending }} {
		for _, info := range slices.Backward(infos) {
			if !wanted(info) {
				continue
			}
			_, err := e.OpenIndex(ctx, info.Name)
			if err == nil {
				return info.Name, nil
			}
			if !engine.Unusable(err) {
				return "", err
			}

			log.Warn("damaged index skipped", "index", info.Name, "error", err)
		}
	}

	return "", errors.New("there is no finished index that can be read; build one with indexer load FILE, " +
		"or rebuild a damaged one with indexer reindex -from INDEX")
}
