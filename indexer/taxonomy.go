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
	"freelancer-matching/internal/setup"
	"freelancer-matching/skills"
	"freelancer-matching/taxonomy"
)

const taxonomyHelp = `Words that neither the taxonomy nor the freelancers know go to the language model, where the server has one, when somebody
asks for them by verify-skill. review lists what it says of them, those asked for most often first, without words that the
taxonomy or the own skills know by now. Verdicts are kept for 30 days, those on words that mean nothing for 7.

A verdict changes nothing until a person accepts it: -accept NAME, by the word or by the name that the model gives it, or
-interactive, which asks of one skill after the other. What is accepted goes to the file of own skills that -skills names,
which is made where it is missing. Job titles are listed, but there are no own ones.

That file has a line for each skill, with tabs between its columns: name, category, broader skills, synonyms; the last two are
lists with semicolons. A line whose name the taxonomy has adds synonyms to it; its category and broader skills stay empty.
Behind a name, ! says that it counts in running text only near its like, * that it never does. Lines that begin with # are
comments. What conflicts with the taxonomy is refused, with its line.

Server and indexer take the file by -skills-file, or MATCHING_SKILLS_FILE. Freelancers who are loaded know nothing of a change:
load again, or run indexer reindex.

Examples:
  indexer taxonomy review
  indexer taxonomy review -json -limit 0
  indexer taxonomy review -skills own-skills.tsv -accept Kintsugi
  indexer taxonomy review -skills own-skills.tsv -accept Kintsugi -category Design
  indexer taxonomy review -skills own-skills.tsv -interactive
  indexer reindex -skills-file own-skills.tsv
`

// review is the flags of taxonomy review.
type review struct {
	config      config.Config
	skills      string // file of own skills; "": none
	accept      []string
	category    string // of what is accepted, in place of the model's; "": that
	interactive bool
	json        bool
	limit       uint // of the list; 0: none
}

func (c *cli) taxonomyCommand() *command {
	r := &review{config: config.Default()}
	flags := commandline.NewFlags("taxonomy")
	faults := config.Bind(&r.config, flags, c.environment, "data", "database-url", "database-password-file")
	if file, ok := c.environment("MATCHING_SKILLS_FILE"); ok {
		r.skills = file
	}
	flags.Func("skills", "`file` of own skills, as server and indexer take it by -skills-file (MATCHING_SKILLS_FILE)",
		func(file string) error {
			r.skills = file
			return nil
		})
	flags.Func("accept", "take the verdict on this `name` into the file; may be repeated", func(name string) error {
		r.accept = append(r.accept, name)
		return nil
	})
	flags.StringVar(&r.category, "category", "", "`name` of the category of what is accepted, in place of the model's")
	flags.BoolVar(&r.interactive, "interactive", false, "ask of one skill after the other whether to accept it")
	flags.BoolVar(&r.json, "json", false, "list one JSON object a line")
	flags.UintVar(&r.limit, "limit", 50, "`number` of verdicts that are listed or asked for at most; 0: all")
	return &command{
		name: "taxonomy", arguments: "review", summary: "see what a language model says of unknown words, accept it as own skills",
		details: taxonomyHelp, flags: flags,
		run: func(ctx context.Context, args []string) error {
			if len(args) != 1 || args[0] != "review" {
				return commandline.Usagef("taxonomy has one command: indexer taxonomy review")
			}
			if err := errors.Join(faults, r.config.Validate()); err != nil {
				return &commandline.UsageError{Message: err.Error()}
			}
			if err := r.check(); err != nil {
				return err
			}
			return c.review(ctx, r)
		},
	}
}

func (r *review) check() error {
	accepts := len(r.accept) > 0 || r.interactive
	switch {
	case accepts && r.skills == "":
		return commandline.Usagef("into which file of own skills? Give -skills FILE; it is made where it is missing")
	case len(r.accept) > 0 && r.interactive:
		return commandline.Usagef("-accept says what to accept, -interactive asks for it: give one of them")
	case accepts && r.json:
		return commandline.Usagef("-json lists verdicts; leave it out where some are to be accepted")
	case !accepts && r.category != "":
		return commandline.Usagef("-category is of what is accepted: give -accept NAME or -interactive, too")
	}
	return nil
}

// verdictLister is the store of verdicts, as a review needs it.
type verdictLister interface {
	List(ctx context.Context, at time.Time) ([]skills.KeptVerdict, error)
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
	pending, err := pendingVerdicts(ctx, db.Verdicts(), own, c.now())
	if err != nil {
		return err
	}
	switch {
	case len(r.accept) > 0:
		err = c.acceptNamed(pending, own, r)
	case r.interactive:
		err = c.acceptAsked(ctx, limited(pending, r.limit), own, r)
	case r.json:
		return c.printVerdictsJSON(limited(pending, r.limit), own)
	default:
		return c.printVerdicts(pending, own, r)
	}
	if err != nil {
		return err
	}
	return c.saveOwnSkills(own)
}

// pendingVerdicts is those on words that are still unknown.
func pendingVerdicts(
	ctx context.Context, store verdictLister, own *ownSkills, now time.Time,
) (pending []skills.KeptVerdict, err error) {
	all, err := store.List(ctx, now)
	for _, v := range all {
		if _, known := own.taxonomy.Named(v.Word); !known {
			pending = append(pending, v)
		}
	}
	return pending, err
}

func limited(verdicts []skills.KeptVerdict, limit uint) []skills.KeptVerdict {
	if limit > 0 && uint(len(verdicts)) > limit {
		return verdicts[:limit]
	}
	return verdicts
}

// acceptNamed accepts the verdicts that are named, all or none.
func (c *cli) acceptNamed(pending []skills.KeptVerdict, own *ownSkills, r *review) error {
	var faults []error
	for _, name := range r.accept {
		found := false
		for _, v := range pending {
			if key := taxonomy.Key(name); key != v.Key && key != taxonomy.Key(v.Name) {
				continue
			}
			found = true
			faults = append(faults, c.accept(v, own, r.category))
		}
		if !found {
			faults = append(faults, fmt.Errorf("there is no verdict on %q; indexer taxonomy review -limit 0 lists them all", name))
		}
	}
	return errors.Join(faults...)
}

// acceptAsked asks of each skill. Without an answer nothing more is accepted.
func (c *cli) acceptAsked(ctx context.Context, pending []skills.KeptVerdict, own *ownSkills, r *review) error {
	answers := bufio.NewScanner(c.stdin)
	for _, v := range pending {
		if v.Kind != matching.TypeSkill {
			continue
		}
		fmt.Fprintf(c.stdout, "%s: %s, %s, near %s; asked for %s times. Accept? [y]es, [n]o, [q]uit: ",
			shown(v.Word, 40), shown(v.Name, 40), cmp.Or(shown(v.Category, 40), "no category"), cmp.Or(shown(own.near(v.Verdict), 60), "nothing"), count(v.Asked))
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

// saveOwnSkills writes what was accepted, and tells what has to be done for it to count.
func (c *cli) saveOwnSkills(own *ownSkills) error {
	if own.accepted == 0 {
		fmt.Fprintf(c.stdout, "Nothing was accepted; %s is as it was.\n", own.path)
		return nil
	}
	if err := own.save(); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s accepted into %s\nStart the server anew with -skills-file %s, and prepare the freelancers with it:\n"+
		"  indexer reindex -skills-file %s\n", count(own.accepted), own.path, own.path, own.path)
	return nil
}

// printVerdicts lists verdicts as a table.
func (c *cli) printVerdicts(pending []skills.KeptVerdict, own *ownSkills, r *review) error {
	if len(pending) == 0 {
		fmt.Fprintln(c.stdout, "No verdicts to review: nobody has asked for an unknown word lately, or the server has no "+
			"language model.")
		return nil
	}
	table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WORD\tIS\tNAME\tCATEGORY\tNEAR\tSURE\tASKED\tLAST ASKED\tBY")
	for _, v := range limited(pending, r.limit) {
		sure := "-"
		if v.Kind != "" {
			sure = fmt.Sprintf("%.0f%%", 100*v.Confidence)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			shown(v.Word, 30), kindInWords(v.Kind), orDash(v.Name, 30), orDash(v.Category, 30), orDash(own.near(v.Verdict), 40), sure, count(v.Asked), v.LastAsked.UTC().Format(timeFormat), shown(v.By, 40))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if more := len(pending) - len(limited(pending, r.limit)); more > 0 {
		fmt.Fprintf(c.stdout, "and %s more; -limit 0 lists them all\n", count(more))
	}
	fmt.Fprintln(c.stdout, "\nTo accept a skill: indexer taxonomy review -skills FILE -accept NAME")
	return nil
}

func kindInWords(kind string) string {
	switch kind {
	case matching.TypeSkill:
		return "skill"
	case matching.TypeJobTitle:
		return "job title"
	default:
		return "neither"
	}
}

func orDash(text string, limit int) string { return cmp.Or(shown(text, limit), "-") }

// listedVerdict is a line of the list as JSON.
type listedVerdict struct {
	Word       string    `json:"word"`
	Kind       *string   `json:"kind"` // skill, job_title; null for neither
	Name       string    `json:"name"`
	Category   string    `json:"category"`
	Near       []string  `json:"near"` // names of skills
	Confidence float64   `json:"confidence"`
	By         string    `json:"by"`
	Asked      int       `json:"asked"`
	Judged     time.Time `json:"judged"`
	LastAsked  time.Time `json:"last_asked"`
	Expires    time.Time `json:"expires"`
}

func (c *cli) printVerdictsJSON(verdicts []skills.KeptVerdict, own *ownSkills) error {
	lines := json.NewEncoder(c.stdout)
	lines.SetEscapeHTML(false)
	for _, v := range verdicts {
		line := listedVerdict{
			Word: v.Word, Name: v.Name, Category: v.Category, Near: own.nearNames(v.Verdict), Confidence: v.Confidence,
			By: v.By, Asked: v.Asked, Judged: v.Judged, LastAsked: v.LastAsked, Expires: v.Expires,
		}
		if v.Kind != "" {
			line.Kind = &v.Kind
		}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
