package cli

import (
	"context"

	"github.com/freelancer-matching/service/indexer/review"
	"github.com/freelancer-matching/service/internal/commandline"
)

func (c *cli) taxonomyCommand() *command {
	options := &review.Options{}
	flags := commandline.NewFlags("taxonomy")
	environmentErr := options.Bind(flags, c.environment)

	return &command{
		name: "taxonomy", arguments: "review", flags: flags, details: review.Help,
		summary: "review a language model's verdicts on unknown words, and accept them as skills",
		run: func(ctx context.Context, args []string) error {
			if len(args) != 1 || args[0] != "review" {
				return commandline.Usagef("the only subcommand is review: indexer taxonomy review")
			}
			if err := options.Validate(environmentErr, c.output.json, c.output.quiet); err != nil {
				return err
			}

			// With -json, a command's text is suppressed, but the verdicts are JSON lines themselves.
			out := c.stdout
			if c.output.json {
				out = c.output.stdout
			}

			return review.Run(ctx, options, review.Terminal{In: c.stdin, Out: out, JSON: c.output.json, Now: c.now})
		},
	}
}
