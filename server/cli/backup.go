package cli

import (
	"context"
	"fmt"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

const backupHelp = `Usage: server backup FILE [flags]

Copy the SQLite database in the data folder to a new file. It contains accounts, keys, usage and sessions. The server
may run meanwhile.

To restore a backup, stop the server and run "server restore FILE". A backup does not contain the indexes: load the data
again, or copy their folder.

Examples:
  server backup -data /var/lib/matching /var/backups/matching-2026-01-31.db

Flags:
`

func (c console) backup(ctx context.Context, args []string) error {
	settings := config.Default()
	words, err := c.parse(commandline.NewFlags("server backup"), args, backupHelp, &settings,
		"data", "database-url", "database-password-file")
	if err != nil {
		return err
	}
	if len(words) != 1 {
		return commandline.Usagef("backup needs the name of one file that does not exist yet")
	}
	if err := setup.Backup(ctx, settings, words[0]); err != nil {
		return err
	}
	fmt.Fprintln(c.stdout, "Backup written to", words[0])
	return nil
}
