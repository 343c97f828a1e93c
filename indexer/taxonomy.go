package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/config"
	"freelancer-matching/internal/matching"
	"freelancer-matching/setup"
	"freelancer-matching/skills"
	"freelancer-matching/taxonomy"
)

const taxonomyHelp = `
When a client asks verify-skill about a word that neither the taxonomy nor any freelancer uses, the server asks its
language model, if it has one. review lists the model's verdicts, the most requested words first. It leaves out words
that are now in the taxonomy or among your own skills. Verdicts are kept for 30 days, or for 7 days if the word means
nothing.

A verdict changes nothing until you accept it: with -accept NAME, which is the word or the model's name for it, or
with -interactive, which asks about one skill after the other. Accepted skills are added to the file named by -skills,
which is created if it does not exist. Job titles are listed but can't be accepted.

The file has one line per skill with four columns, separated by tabs: name, category, broader skills, synonyms. The
last two are lists separated by semicolons. If the taxonomy already has the name, the line adds synonyms to that
skill; leave category and broader skills empty. After a name, ! means that it counts in running text only next to
similar skills, and * that it never counts there. Lines that begin with # are comments. A line that conflicts with the
taxonomy is an error.

The server and the indexer read the file with -skills-file or MATCHING_SKILLS_FILE. A change does not affect
freelancers that are already loaded: load them again, or run indexer reindex.

Examples:
  indexer taxonomy review
  indexer taxonomy review -json -limit 0                 one JSON object per line
  indexer taxonomy review -skills own-skills.tsv -accept Kintsugi
  indexer taxonomy review -skills own-skills.tsv -accept Kintsugi -category Design
  indexer taxonomy review -skills own-skills.tsv -interactive
  indexer reindex -skills-file own-skills.tsv
`

// review is the flags of taxonomy review.
type review struct {
	config      config.Config
	skills      string // own-skills file; empty for none
	accept      []string
	category    string // overrides the category of accepted verdicts
	interactive bool
	limit       uint // 0 for no limit
}

func (c *cli) taxonomyCommand() *command {
	r := &review{config: config.Default()}
	flags := commandline.NewFlags("taxonomy")
	environmentErr := config.Bind(&r.config, flags, c.environment, "data", "database-url", "database-password-file")

	if file, ok := c.environment("MATCHING_SKILLS_FILE"); ok {
		r.skills = file
	}

	flags.Func("skills", "`file` of your own skills, which -skills-file passes to the server (MATCHING_SKILLS_FILE)",
		func(file string) error {
			r.skills = file
			return nil
		})

	flags.Func("accept", "accept the verdict with this `name`; may be repeated", func(name string) error {
		r.accept = append(r.accept, name)
		return nil
	})

	flags.StringVar(&r.category, "category", "", "`name` of a category to use instead of the model's")
	flags.BoolVar(&r.interactive, "interactive", false, "ask about one skill after the other")
	flags.UintVar(&r.limit, "limit", 50, "maximum `number` of verdicts to list or ask about; 0 for all")

	return &command{
		name: "taxonomy", arguments: "review", flags: flags, details: taxonomyHelp,
		summary: "review a language model's verdicts on unknown words, and accept them as skills",
		run: func(ctx context.Context, args []string) error {
			if len(args) != 1 || args[0] != "review" {
				return commandline.Usagef("the only subcommand is review: indexer taxonomy review")
			}
			if err := errors.Join(environmentErr, r.config.Validate()); err != nil {
				return &commandline.UsageError{Message: err.Error()}
			}
			if err := r.validate(c.output); err != nil {
				return err
			}

			return c.review(ctx, r)
		},
	}
}

// validate checks the combination of flags.
func (r *review) validate(o output) error {
	accepts := len(r.accept) > 0 || r.interactive
	switch {
	case accepts && r.skills == "":
		return commandline.Usagef("name the file for accepted skills with -skills FILE; it need not exist")
	case len(r.accept) > 0 && r.interactive:
		return commandline.Usagef("use either -accept or -interactive")
	case accepts && o.json:
		return commandline.Usagef("-json only lists verdicts; it can't be combined with -accept or -interactive")
	case r.interactive && o.quiet:
		return commandline.Usagef("-interactive asks questions, which -quiet would hide; use one of them")
	case !accepts && r.category != "":
		return commandline.Usagef("-category requires -accept NAME or -interactive")
	}
	return nil
}

func (c *cli) review(ctx context.Context, r *review) (err error) {
	own, err := openOwnSkills(r.skills)
	if err != nil {
		return err
	}
	db, err := setup.OpenDatabase(ctx, r.config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	all, err := db.Verdicts().List(ctx, c.now())
	if err != nil {
		return err
	}
	var pending []skills.KeptVerdict
	for _, v := range all {
		if _, known := own.taxonomy.Named(v.Word); !known {
			pending = append(pending, v)
		}
	}

	shown := pending
	if r.limit > 0 && uint(len(pending)) > r.limit {
		shown = pending[:r.limit]
	}

	switch {
	case len(r.accept) > 0:
		err = c.acceptNamed(pending, own, r)
	case r.interactive:
		err = c.acceptInteractively(ctx, shown, own, r)
	case c.output.json:
		return c.printVerdictsJSON(shown, own)
	default:
		return c.printVerdicts(shown, len(pending)-len(shown), own)
	}

	if err != nil {
		return err
	}

	return c.saveOwnSkills(own)
}

// acceptNamed accepts the verdicts that -accept names. It returns an error if any of them can't be accepted.
func (c *cli) acceptNamed(pending []skills.KeptVerdict, own *ownSkills, r *review) error {
	var errs []error
	for _, name := range r.accept {
		found := false
		for _, v := range pending {
			if key := taxonomy.Key(name); key == v.Key || key == taxonomy.Key(v.Name) {
				found = true
				errs = append(errs, c.accept(v, own, r.category))
			}
		}
		if !found {
			errs = append(errs, fmt.Errorf("there is no verdict on %q; to list all verdicts: "+
				"indexer taxonomy review -limit 0", name))
		}
	}
	return errors.Join(errs...)
}

// acceptInteractively asks about each skill, until the user quits or the input ends.
func (c *cli) acceptInteractively(ctx context.Context, pending []skills.KeptVerdict, own *ownSkills, r *review) error {
	answers := bufio.NewScanner(c.stdin)
	for _, v := range pending {
		if v.Kind != matching.TypeSkill {
			continue
		}
		similar := strings.Join(own.similar(v.Verdict), ", ")
		fmt.Fprintf(c.stdout, "%s: %s, %s, similar to %s; requested %s. Accept? [y]es, [n]o, [q]uit: ",
			printable(v.Word, 40), printable(v.Name, 40), cmp.Or(printable(v.Category, 40), "no category"),
			cmp.Or(printable(similar, 60), "nothing"), count(v.Asked, "time", ""))

		if !answers.Scan() || ctx.Err() != nil {
			fmt.Fprintln(c.stdout)
			break
		}

		answer := strings.ToLower(strings.TrimSpace(answers.Text()))
		if answer == "q" || answer == "quit" {
			break
		}
		if answer != "y" && answer != "yes" {
			continue
		}

		if err := c.accept(v, own, r.category); err != nil {
			fmt.Fprintf(c.stdout, "not accepted: %v\n", err)
		}
	}

	return errors.Join(answers.Err(), ctx.Err())
}

func (c *cli) accept(v skills.KeptVerdict, own *ownSkills, category string) error {
	line, err := own.accept(v.Verdict, category)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "accepted  %s\n", line)
	return nil
}

// saveOwnSkills saves the accepted skills and prints how to put them to use.
func (c *cli) saveOwnSkills(own *ownSkills) error {
	if own.accepted == 0 {
		fmt.Fprintf(c.stdout, "No verdicts were accepted; %s is unchanged.\n", own.path)
		return nil
	}
	if err := own.save(); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s accepted into %s\nRestart the server with -skills-file %s, and update the freelancers:\n"+
		"  indexer reindex -skills-file %s\n", count(own.accepted, "verdict", ""), own.path, own.path, own.path)
	return nil
}

// printVerdicts prints a table of verdicts and the number of those not shown.
func (c *cli) printVerdicts(shown []skills.KeptVerdict, notShown int, own *ownSkills) error {
	if len(shown) == 0 {
		fmt.Fprintln(c.stdout, "There are no verdicts to review. Either nobody has requested an unknown word recently, "+
			"or the server has no language model.")
		return nil
	}

	table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WORD\tVERDICT\tNAME\tCATEGORY\tSIMILAR TO\tCONFIDENCE\tREQUESTS\tLAST REQUEST\tJUDGED BY")
	for _, v := range shown {
		confidence := "-"
		if v.Kind != "" {
			confidence = fmt.Sprintf("%.0f%%", 100*v.Confidence)
		}

		cells := []string{
			printable(v.Word, 30), kindName(v.Kind), orDash(v.Name, 30), orDash(v.Category, 30),
			orDash(strings.Join(own.similar(v.Verdict), ", "), 40), confidence, number(v.Asked), timeOrDash(v.LastAsked),
			printable(v.By, 40),
		}

		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}

	if err := table.Flush(); err != nil {
		return err
	}

	if notShown > 0 {
		fmt.Fprintf(c.stdout, "and %s more; use -limit 0 to list all\n", number(notShown))
	}
	fmt.Fprintln(c.stdout, "\nTo accept a skill: indexer taxonomy review -skills FILE -accept NAME")

	return nil
}

func kindName(kind string) string {
	switch kind {
	case matching.TypeSkill:
		return "skill"
	case matching.TypeJobTitle:
		return "job title"
	default:
		return "neither"
	}
}

func orDash(text string, limit int) string { return cmp.Or(printable(text, limit), "-") }

// verdictLine is a verdict as a line of JSON.
type verdictLine struct {
	Word       string    `json:"word"`
	Kind       *string   `json:"kind"` // skill or job_title; null for neither
	Name       string    `json:"name"`
	Category   string    `json:"category"`
	Near       []string  `json:"near"` // names of similar skills
	Confidence float64   `json:"confidence"`
	By         string    `json:"by"`
	Asked      int       `json:"asked"`
	Judged     time.Time `json:"judged"`
	LastAsked  time.Time `json:"last_asked"`
	Expires    time.Time `json:"expires"`
}

func (c *cli) printVerdictsJSON(verdicts []skills.KeptVerdict, own *ownSkills) error {
	encoder := json.NewEncoder(c.output.stdout)
	encoder.SetEscapeHTML(false)
	for _, v := range verdicts {
		line := verdictLine{
			Word:       v.Word,
			Name:       v.Name,
			Category:   v.Category,
			Near:       own.similar(v.Verdict),
			Confidence: v.Confidence,
			By:         v.By,
			Asked:      v.Asked,
			Judged:     v.Judged,
			LastAsked:  v.LastAsked,
			Expires:    v.Expires,
		}

		if v.Kind != "" {
			line.Kind = &v.Kind
		}

		if err := encoder.Encode(line); err != nil {
			return err
		}
	}

	return nil
}
