package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/config"
	"freelancer-matching/internal/setup"
)

const backupHelp = `server backup copies the SQLite database of the data folder, with accounts, keys, counts and usage, into a new
file. A running server goes on meanwhile. To restore, stop the server and put the file in place of matching.db, without the
files matching.db-wal and matching.db-shm beside it. The indexes are not part of it: load the data again, or copy their folder.

Usage:
  server backup FILE

Examples:
  server backup -data /var/lib/matching /var/backups/matching-2026-01-31.db

Flags:
`

// backup is the command `server backup`.
func backup(ctx context.Context, args []string, environment func(string) (string, bool), stdout, stderr io.Writer) int {
	c := config.Default()
	flags := commandline.NewFlags("server backup")
	faults := config.Bind(&c, flags, environment, "data", "database-url", "database-password-file")
	words, err := commandline.Parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return printHelp(stdout, backupHelp, flags)
	case err != nil:
		return usageError(stderr, err)
	case faults != nil:
		return usageError(stderr, faults)
	case len(words) != 1:
		return usageError(stderr, errors.New("backup needs the name of one file, which must not exist yet"))
	}
	if err := setup.Backup(ctx, c, words[0]); err != nil {
		fmt.Fprintln(stderr, "server backup:", err)
		return 1
	}
	fmt.Fprintln(stdout, "Backed up to", words[0])
	return 0
}
