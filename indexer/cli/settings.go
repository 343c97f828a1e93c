package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

// deadLettersDir is the folder for dead-letter files in the data folder.
const deadLettersDir = setup.DeadLettersDir

// indexSettings returns the names of the settings that say where the indexes are.
func indexSettings() []string {
	return []string{
		"data", "elasticsearch-url", "elasticsearch-user", "elasticsearch-password-file", "elasticsearch-api-key-file",
		"elasticsearch-ca-file", "elasticsearch-prefix",
	}
}

// buildSettings returns the names of the settings of commands that can build an index.
func buildSettings() []string {
	return append(indexSettings(), "skills-file", "elasticsearch-shards", "elasticsearch-replicas",
		"elasticsearch-writers", "encoder", "embeddings-url", "embeddings-key-file", "embeddings-model",
		"embeddings-dimensions", "embeddings-query-prefix", "embeddings-passage-prefix", "dead-letter-retention",
		"keep-indexes", "database-url", "database-password-file")
}

// ocrSettings returns the names of the settings for scanned pages of resumes.
func ocrSettings() []string { return []string{"ocr", "ocr-languages"} }

// indexCommand completes cmd, a command without arguments, so that it opens the existing indexes and calls run.
func (c *cli) indexCommand(
	cmd command, settingNames []string, run func(ctx context.Context, x *setup.Index, data string) error,
) *command {
	return c.indexCommandWithArguments(cmd, settingNames,
		func(ctx context.Context, x *setup.Index, data string, _ []string) error { return run(ctx, x, data) })
}

// indexCommandWithArguments does what indexCommand does for a command with arguments.
func (c *cli) indexCommandWithArguments(
	cmd command, settingNames []string,
	run func(ctx context.Context, x *setup.Index, data string, args []string) error,
) *command {
	settings := config.Default()
	environmentErr := config.Bind(&settings, cmd.flags, c.environment, settingNames...)
	cmd.run = func(ctx context.Context, args []string) error {
		// Without this check, a mistyped folder would look like one that has no indexes yet.
		_, err := os.Stat(settings.Data)
		if !settings.Elasticsearch.On() && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the data folder %q does not exist; name another one with -data, or run indexer load FILE "+
				"to create it", settings.Data)
		}

		x, err := c.openIndex(settings, environmentErr)
		if err != nil {
			return err
		}
		defer x.Close()

		return run(ctx, x, settings.Data, args)
	}

	return &cmd
}

// openIndex opens the configured engine. It returns a *commandline.UsageError for invalid settings.
func (c *cli) openIndex(settings config.Config, environmentErr error) (*setup.Index, error) {
	if err := errors.Join(environmentErr, settings.Validate()); err != nil {
		return nil, &commandline.UsageError{Message: err.Error()}
	}
	return setup.OpenIndex(settings, c.log())
}

// expireDeadLetters removes dead letters whose retention has ended.
func expireDeadLetters(w io.Writer, x *setup.Index, now time.Time) error {
	removed, err := x.ExpireDeadLetters(now)
	if len(removed) > 0 {
		fmt.Fprintf(w, "removed old dead letters: %s\n", strings.Join(removed, ", "))
	}
	return err
}

// lockOwner describes this process to other indexers that find the lock taken.
func lockOwner(command string, now time.Time) string { return loading.Owner("indexer "+command, now) }

// unchanged adds to an error that nothing was changed, unless the error says otherwise.
func unchanged(err error) error {
	if _, ok := errors.AsType[*bulk.PartialError](err); ok || err == nil {
		return err
	}
	if _, ok := errors.AsType[*commandline.UsageError](err); ok {
		return err
	}
	if isA[*engine.MovedError](err) {
		return fmt.Errorf("%w\nThis command changed nothing. See which index is live with indexer status", err)
	}
	return fmt.Errorf("%w\nNothing was changed. The live index is still the same", err)
}

// rateSettings returns the names of the settings for exchange rates.
func rateSettings() []string { return []string{"exchange-rates", "exchange-rates-max-age"} }
