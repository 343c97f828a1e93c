// Package review lists a language model's verdicts on unknown words, and adds accepted ones to a file of own skills.
package review

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/taxonomy"
)

// Help explains taxonomy review.
const Help = `
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

// Options are the flags of taxonomy review.
type Options struct {
	config      config.Config
	skills      string // own-skills file; empty for none
	accept      []string
	category    string // overrides the category of accepted verdicts
	interactive bool
	limit       uint // 0 for no limit
}

// Bind defines the flags, and sets the options that the environment gives. An invalid environment variable matters only
// if the command runs, so the error is to be reported then.
func (o *Options) Bind(flags *flag.FlagSet, environment func(string) (string, bool)) error {
	o.config = config.Default()
	if file, ok := environment("MATCHING_SKILLS_FILE"); ok {
		o.skills = file
	}

	// The environment only sets the default; the flag, which is parsed later, wins.
	flags.Func("skills", "`file` of your own skills, which -skills-file passes to the server (MATCHING_SKILLS_FILE)",
		func(file string) error {
			o.skills = file
			return nil
		})

	flags.Func("accept", "accept the verdict with this `name`; may be repeated", func(name string) error {
		o.accept = append(o.accept, name)
		return nil
	})

	flags.StringVar(&o.category, "category", "", "`name` of a category to use instead of the model's")
	flags.BoolVar(&o.interactive, "interactive", false, "ask about one skill after the other")
	flags.UintVar(&o.limit, "limit", 50, "maximum `number` of verdicts to list or ask about; 0 for all")

	return config.Bind(&o.config, flags, environment, "data", "database-url", "database-password-file")
}

// Validate checks the settings and the combination of flags. environmentErr is what Bind returned; asJSON and quiet are
// the flags of all commands.
func (o *Options) Validate(environmentErr error, asJSON, quiet bool) error {
	if err := errors.Join(environmentErr, o.config.Validate()); err != nil {
		return &commandline.UsageError{Message: err.Error()}
	}

	accepts := len(o.accept) > 0 || o.interactive
	switch {
	case accepts && o.skills == "":
		return commandline.Usagef("name the file for accepted skills with -skills FILE; it need not exist")
	case len(o.accept) > 0 && o.interactive:
		return commandline.Usagef("use either -accept or -interactive")
	case accepts && asJSON:
		return commandline.Usagef("-json only lists verdicts; it can't be combined with -accept or -interactive")
	case o.interactive && quiet:
		return commandline.Usagef("-interactive asks questions, which -quiet would hide; use one of them")
	case !accepts && o.category != "":
		return commandline.Usagef("-category requires -accept NAME or -interactive")
	}
	return nil
}

// A Terminal is where a review reads answers and prints verdicts.
type Terminal struct {
	In   io.Reader
	Out  io.Writer
	JSON bool // list verdicts as lines of JSON
	Now  func() time.Time
}

// A review is one run of taxonomy review.
type review struct {
	Terminal
	*Options
	own *ownSkills
}

// Run lists the verdicts that the options select, or accepts them.
func Run(ctx context.Context, o *Options, terminal Terminal) (err error) {
	own, err := openOwnSkills(o.skills)
	if err != nil {
		return err
	}
	r := &review{terminal, o, own}
	db, err := setup.OpenDatabase(ctx, o.config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	all, err := db.Verdicts.List(ctx, r.Now())
	if err != nil {
		return err
	}

	// Words that were added to the own skills since are settled.
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

	// -accept finds every verdict, because its user may have seen the name elsewhere than in the first ones.
	switch {
	case len(r.accept) > 0:
		err = r.acceptNamed(pending)
	case r.interactive:
		err = r.acceptInteractively(ctx, shown)
	case r.JSON:
		return r.printJSON(shown)
	default:
		return r.printTable(shown, len(pending)-len(shown))
	}

	if err != nil {
		return err
	}

	return r.save()
}

// acceptNamed accepts the verdicts that -accept names. It returns an error if any of them can't be accepted.
func (r *review) acceptNamed(pending []skills.KeptVerdict) error {
	var errs []error
	for _, name := range r.accept {
		found := false
		for _, v := range pending {
			if key := taxonomy.Key(name); key == v.Key || key == taxonomy.Key(v.Name) {
				found = true
				errs = append(errs, r.acceptVerdict(v))
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
func (r *review) acceptInteractively(ctx context.Context, pending []skills.KeptVerdict) error {
	answers := bufio.NewScanner(r.In)
	for _, v := range pending {
		if v.Kind != matching.TypeSkill {
			continue
		}
		similar := strings.Join(r.own.similar(v.Verdict), ", ")
		fmt.Fprintf(r.Out, "%s: %s, %s, similar to %s; requested %s. Accept? [y]es, [n]o, [q]uit: ",
			format.Printable(v.Word, 40), format.Printable(v.Name, 40), cmp.Or(format.Printable(v.Category, 40), "no category"),
			cmp.Or(format.Printable(similar, 60), "nothing"), format.Count(v.Asked, "time", ""))

		if !answers.Scan() || ctx.Err() != nil {
			fmt.Fprintln(r.Out)
			break
		}

		// Quitting isn't an error, so that what was accepted before is saved.
		answer := strings.ToLower(strings.TrimSpace(answers.Text()))
		if answer == "q" || answer == "quit" {
			break
		}
		if answer != "y" && answer != "yes" {
			continue
		}

		// A conflict concerns one skill only, so the questions continue.
		if err := r.acceptVerdict(v); err != nil {
			fmt.Fprintf(r.Out, "not accepted: %v\n", err)
		}
	}

	return errors.Join(answers.Err(), ctx.Err())
}

func (r *review) acceptVerdict(v skills.KeptVerdict) error {
	line, err := r.own.accept(v.Verdict, r.category)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "accepted  %s\n", line)
	return nil
}

// save saves the accepted skills and prints how to put them to use.
func (r *review) save() error {
	if r.own.accepted == 0 {
		fmt.Fprintf(r.Out, "No verdicts were accepted; %s is unchanged.\n", r.own.path)
		return nil
	}
	if err := r.own.save(); err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "%s accepted into %s\nRestart the server with -skills-file %s, and update the freelancers:\n"+
		"  indexer reindex -skills-file %s\n", format.Count(r.own.accepted, "verdict", ""),
		r.own.path, r.own.path, r.own.path)
	return nil
}

// printTable prints a table of verdicts and the number of those not shown.
func (r *review) printTable(shown []skills.KeptVerdict, notShown int) error {
	if len(shown) == 0 {
		fmt.Fprintln(r.Out, "There are no verdicts to review. Either nobody has requested an unknown word recently, "+
			"or the server has no language model.")
		return nil
	}

	table := tabwriter.NewWriter(r.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WORD\tVERDICT\tNAME\tCATEGORY\tSIMILAR TO\tCONFIDENCE\tREQUESTS\tLAST REQUEST\tJUDGED BY")
	for _, v := range shown {
		// Without a kind there is no verdict that a confidence could belong to.
		confidence := "-"
		if v.Kind != "" {
			confidence = fmt.Sprintf("%.0f%%", 100*v.Confidence)
		}

		// Words come from requests and names from a model, so neither may send control characters to the terminal.
		cells := []string{
			format.Printable(v.Word, 30), kindName(v.Kind), orDash(v.Name, 30), orDash(v.Category, 30),
			orDash(strings.Join(r.own.similar(v.Verdict), ", "), 40), confidence, format.Number(v.Asked),
			format.TimeOrDash(v.LastAsked),
			format.Printable(v.By, 40),
		}

		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}

	if err := table.Flush(); err != nil {
		return err
	}

	if notShown > 0 {
		fmt.Fprintf(r.Out, "and %s more; use -limit 0 to list all\n", format.Number(notShown))
	}
	fmt.Fprintln(r.Out, "\nTo accept a skill: indexer taxonomy review -skills FILE -accept NAME")

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

func orDash(text string, limit int) string { return cmp.Or(format.Printable(text, limit), "-") }

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

func (r *review) printJSON(verdicts []skills.KeptVerdict) error {
	encoder := json.NewEncoder(r.Out)
	encoder.SetEscapeHTML(false)
	for _, v := range verdicts {
		line := verdictLine{
			Word:       v.Word,
			Name:       v.Name,
			Category:   v.Category,
			Near:       r.own.similar(v.Verdict),
			Confidence: v.Confidence,
			By:         v.By,
			Asked:      v.Asked,
			Judged:     v.Judged,
			LastAsked:  v.LastAsked,
			Expires:    v.Expires,
		}

		// A word without a verdict has null rather than an empty kind.
		if v.Kind != "" {
			line.Kind = &v.Kind
		}

		if err := encoder.Encode(line); err != nil {
			return err
		}
	}

	return nil
}
