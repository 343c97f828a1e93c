package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/compare"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/setup"
)

// maxListed is the number of freelancers of each kind that diff lists as text.
const maxListed = 20

func (c *cli) diffCommand() *command {
	cmd := c.indexCommandWithArguments(command{
		name: "diff", arguments: "[A [B]]", flags: commandline.NewFlags("diff"),
		summary: "list freelancers that were added, removed or changed between two indexes",
		details: `
A and B are names of indexes, as status lists them, or the words live and previous. Without arguments, diff compares the
previous index with the live one; with one, it compares that index with the live one.

Freelancers are compared by id. The text lists the first 20 of each kind and counts the others; -json lists all, with
the names of the fields that changed.

Examples:
  indexer diff
  indexer diff freelancers-v1-20260102t030405z
  indexer diff previous live -json
`,
	}, indexSettings(), func(ctx context.Context, x *setup.Index, _ string, args []string) error {
		if len(args) > 2 {
			return commandline.Usagef("diff compares two indexes, but %d were named", len(args))
		}

		// Arguments replace the defaults from the left: one argument is compared with the live index.
		names := [2]string{"previous", "live"}
		copy(names[:], args)
		return c.diff(ctx, x.Engine, names[0], names[1])
	})

	return cmd
}

func (c *cli) diff(ctx context.Context, e setup.Engine, before, after string) error {
	infos, live, previous, err := loading.Indexes(ctx, e)
	if err != nil {
		return err
	}
	d := difference{}
	for _, side := range []struct {
		name string
		info *engine.Info
	}{{before, &d.before}, {after, &d.after}} {
		name := side.name
		switch name {
		case "live":
			if name = live; name == "" {
				return errors.New("no index is live; name two indexes from indexer status")
			}

		case "previous":
			if name = previous; name == "" {
				return errors.New("there is no previous index; name two indexes from indexer status")
			}
		}

		*side.info = engine.Info{Name: name} // Scan reports that there is no such index
		for _, info := range infos {
			if info.Name == name {
				*side.info = info
			}
		}
	}

	// The comparison keeps hashes of the first index and reads the second one record by record, so neither must fit
	// into memory.
	d.Difference, err = compare.Sets(ctx, e.Scan(ctx, d.before.Name), e.Scan(ctx, d.after.Name))
	if err != nil {
		return err
	}
	c.output.result = d
	if c.output.json || c.output.quiet {
		return nil
	}

	return printDifference(ctx, c.stdout, e, d, live, previous)
}

// difference is the result of diff.
type difference struct {
	*compare.Difference
	before, after engine.Info
}

// printDifference prints counts, and the first freelancers of each kind.
func printDifference(
	ctx context.Context, w io.Writer, e setup.Engine, d difference, live, previous string,
) error {
	for _, side := range []struct {
		info  engine.Info
		count int
	}{{d.before, d.Before}, {d.after, d.After}} {
		state := indexState(side.info, live, previous)
		fmt.Fprintf(w, "%s (%s): %s\n", side.info.Name, state, format.Count(side.count, "freelancer", ""))
	}

	var fields []string
	for i, n := range d.ByField {
		if n > 0 {
			fields = append(fields, matching.Fields[i].Name+" "+format.Number(n))
		}
	}

	fmt.Fprintln(w)
	format.PrintCounted(w, len(d.Added), "added", "")
	format.PrintCounted(w, len(d.Removed), "removed", "")
	format.PrintCounted(w, len(d.Changed), "changed"+format.Prefixed(": ", strings.Join(fields, ", ")), "")
	format.PrintCounted(w, d.Unchanged, "unchanged", "")

	if len(d.Damaged) > 0 {
		format.PrintCounted(w, len(d.Damaged), "not compared, because their records are damaged: "+
			format.Printable(strings.Join(d.Damaged, ", "), 200), "")
	}

	if d.before.Currency != d.after.Currency {
		fmt.Fprintf(w, "Amounts are in %s before and in %s after.\n",
			cmp.Or(d.before.Currency, "an unknown currency"), cmp.Or(d.after.Currency, "an unknown currency"))
	}

	// Only the freelancers that are listed are fetched. The comparison keeps ids, not whole records.
	changed := make([]string, len(d.Changed[:min(len(d.Changed), maxListed)]))
	for i := range changed {
		changed[i] = d.Changed[i].ID
	}
	old, err := fetch(ctx, e, d.before.Name, changed)
	if err != nil {
		return err
	}

	changes, err := fetch(ctx, e, d.after.Name, changed)
	if err != nil {
		return err
	}
	added, err := fetch(ctx, e, d.after.Name, d.Added)
	if err != nil {
		return err
	}

	removed, err := fetch(ctx, e, d.before.Name, d.Removed)
	if err != nil {
		return err
	}

	list := func(title string, total int, lines []string) {
		if total == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s:\n", title)

		for _, line := range lines {
			fmt.Fprintf(w, "  %s\n", line)
		}

		if total > len(lines) {
			fmt.Fprintf(w, "  and %s more; diff -json lists all\n", format.Number(total-len(lines)))
		}
	}

	list("added", len(d.Added), introduce(added))
	list("removed", len(d.Removed), introduce(removed))
	list("changed", len(d.Changed), describeChanges(old, changes))

	return nil
}

// fetch returns the first freelancers of a list with their records. An index that can only be scanned yields IDs alone.
func fetch(ctx context.Context, e setup.Engine, index string, ids []string) ([]matching.Freelancer, error) {
	ids = ids[:min(len(ids), maxListed)]
	found := make([]matching.Freelancer, len(ids))
	for i, id := range ids {
		found[i].ID = id
	}
	if len(ids) == 0 {
		return nil, nil
	}
	snapshot, err := e.OpenIndex(ctx, index)
	if engine.Unusable(err) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	return snapshot.Fetch(ctx, ids)
}

// introduce returns a line about each freelancer.
func introduce(freelancers []matching.Freelancer) (lines []string) {
	for _, f := range freelancers {
		name := format.Prefixed("  ", format.Printable(f.Name, 30))
		title := format.Prefixed(", ", format.Printable(f.JobTitle, 40))
		lines = append(lines, f.ID+name+title)
	}
	return lines
}

// describeChanges returns a line about each freelancer with the values that differ.
func describeChanges(before, after []matching.Freelancer) (lines []string) {
	for i := range after {
		var changes []string
		for j := range matching.Fields {
			field := &matching.Fields[j]
			old := field.Text(&before[i])
			now := field.Text(&after[i])

			switch {
			case old == now:
			case field.Kind == matching.KindSkills:
				changes = append(changes, field.Name+describeSkills(before[i].Skills, after[i].Skills))
			case field.Kind == matching.KindLongText:
				changes = append(changes, field.Name)
			default:
				changes = append(changes, fmt.Sprintf("%s %s → %s", field.Name, orUnknown(old), orUnknown(now)))
			}
		}

		// A changed freelancer may have lost the name, so the earlier one is shown.
		name := format.Prefixed("  ", format.Printable(cmp.Or(after[i].Name, before[i].Name), 30))
		lines = append(lines, after[i].ID+name+format.Prefixed(": ", strings.Join(changes, "; ")))
	}

	return lines
}

func orUnknown(text string) string { return cmp.Or(format.Printable(text, 30), "unknown") }

// describeSkills returns which skills were added and removed: " +Go −PHP".
func describeSkills(before, after []string) string {
	added, removed := compare.Skills(before, after)
	text := ""
	for _, skill := range added {
		text += " +" + skill
	}
	for _, skill := range removed {
		text += " −" + skill
	}
	return " " + cmp.Or(strings.TrimSpace(format.Printable(text, 80)), "in another order")
}

// writeJSON writes the result for -json. It writes one freelancer after the other, because there may be a million.
func (d difference) writeJSON(to io.Writer) error {
	w := bufio.NewWriter(to)
	byField := make(map[string]int)
	for i, n := range d.ByField {
		if n > 0 {
			byField[matching.Fields[i].Name] = n
		}
	}

	head, err := json.Marshal(struct {
		A         comparedIndex  `json:"a"`
		B         comparedIndex  `json:"b"`
		Unchanged int            `json:"unchanged"`
		ByField   map[string]int `json:"changed_by_field"`
		Damaged   []string       `json:"damaged,omitempty"`
	}{
		comparedIndex{d.before.Name, d.Before, d.before.Currency},
		comparedIndex{d.after.Name, d.After, d.after.Currency},
		d.Unchanged, byField, d.Damaged,
	})
	if err != nil {
		return err
	}

	_, _ = w.Write(head[:len(head)-1]) // Flush returns the error
	writeList(w, "added", d.Added, func(id string) any { return id })
	writeList(w, "removed", d.Removed, func(id string) any { return id })
	writeList(w, "changed", d.Changed, func(change compare.Change) any {
		return changedFreelancer{change.ID, change.Fields()}
	})
	_ = w.WriteByte('}')

	return w.Flush()
}

// writeList writes a member of an object, with each element of its list on a line.
func writeList[T any](w *bufio.Writer, name string, list []T, element func(T) any) {
	_, _ = fmt.Fprintf(w, ",\n%q: [", name)
	for i, e := range list {
		text, _ := json.Marshal(element(e)) // strings and lists of strings
		if i > 0 {
			_ = w.WriteByte(',')
		}
		_, _ = fmt.Fprintf(w, "\n%s", text)
	}
	_ = w.WriteByte(']')
}

type changedFreelancer struct {
	ID     string   `json:"id"`
	Fields []string `json:"fields"`
}

// comparedIndex is one side of a difference.
type comparedIndex struct {
	Index       string `json:"index"`
	Freelancers int    `json:"freelancers"`
	Currency    string `json:"currency"`
}
