package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

const restoreHelp = `Usage: server restore FILE [flags]

Replace the SQLite database in the data folder with a copy of FILE, which "server backup" has written. Stop the server
first.

The command checks FILE and changes nothing if it is damaged or was written by a newer release. It keeps the replaced
database in the data folder. A backup of an older release is converted when the server starts.

Keys and users created since the backup are unknown afterward, and keys revoked since then work again: revoke them once
more.

Examples:
  server restore -data /var/lib/matching /var/backups/matching-2026-01-31.db

Flags:
`

func (c console) restore(ctx context.Context, args []string) error {
	settings := config.Default()
	words, err := c.parse(commandline.NewFlags("server restore"), args, restoreHelp, &settings,
		"data", "database-url", "database-password-file")
	if err != nil {
		return err
	}
	if len(words) != 1 {
		return commandline.Usagef("restore needs the name of one file that \"server backup\" has written")
	}

	replaced, err := setup.Restore(ctx, settings, words[0], time.Now())
	if err != nil {
		return err
	}

	fmt.Fprintf(c.stdout, "Restored %s in %s.\n", words[0], settings.Data)

	if replaced != "" {
		fmt.Fprintf(c.stdout, "The replaced database is now %s. Delete it when you no longer need it.\n", replaced)
	}

	// The backup has those keys as they were, that is, valid.
	fmt.Fprintln(c.stdout, "Start the server, and revoke keys that were revoked after the backup.")

	return nil
}
