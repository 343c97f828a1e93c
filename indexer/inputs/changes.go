package inputs

import (
	"bufio"
	"context"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/indexer/feed"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/spool"
)

// foldChanges replaces an input that has messages about the changes of a database by the last states of its records.
// It leaves any other input as it is, and also one that can't be read, about which the caller hears when it opens it.
func (op *opener) foldChanges(ctx context.Context, f *fetchedInput) (err error) {
	o := &op.Source
	hasLayout := o.JSONPath != "" || o.SkipLines > 0 || o.Encoding != "" // of another kind of file
	if hasLayout || f.Open == nil || f.Format != "" {
		return nil
	}
	in, err := input.Open(f.Input)
	if err != nil {
		return nil
	}
	defer in.Close()

	kind, err := in.Detect(&input.Options{File: o.Sheet})
	if err != nil || kind != input.NDJSON {
		return nil
	}
	changeFormat := feed.Format(in.Head)
	if changeFormat == "" {
		return nil
	}

	// The last change of a record may be in any of several files, and only their writer knows the order.
	if op.changes != "" {
		return fmt.Errorf("%s and %s both have change messages; join them in their order, and load one file", op.changes,
			f.Name)
	}
	op.changes = f.Name

	log, err := spool.New(op.remote.maxDownload)
	if err != nil {
		return err
	}
	defer log.Close()
	last, err := spool.New(op.remote.maxDownload)
	if err != nil {
		return err
	}
	op.in.spools = append(op.in.spools, last)

	w := bufio.NewWriterSize(last, 256<<10)
	result, err := feed.Fold(interruptible(ctx, in.Reader), feed.Options{Key: op.keyOf(f.Name)}, w, log)
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}

	f.Input = input.FromReaderAt(f.Name, last, last.Size())
	f.Format = changeFormat
	f.notes = append(f.notes, describeChanges(result)...)

	return nil
}

// keyOf returns the columns of the ID that the options name, or nil.
func (op *opener) keyOf(file string) []string {
	if len(op.Source.ID) > 0 && !slices.Equal(op.Source.ID, []string{source.PositionID}) {
		return op.Source.ID
	}
	if column := op.Source.Map["id"]; column != "" && column != "-" {
		return []string{column}
	}
	mapping, err := op.Source.Mapping.File(file)
	if err != nil || mapping == nil {
		return nil
	}
	if len(mapping.ID) > 0 {
		return mapping.ID
	}
	for _, c := range mapping.Columns {
		if c.Field == "id" {
			return []string{c.Column}
		}
	}
	return nil
}

// describeChanges returns notes about what was folded.
func describeChanges(r *feed.Result) []string {
	notes := []string{fmt.Sprintf("%s: the last state of each record is read: %s about %s, of which %s deleted",
		r.Format, format.Count(r.Changes, "change", ""), format.Count(r.Records+r.Deleted, "record", ""),
		format.Number(r.Deleted))}
	if r.Other > 0 {
		notes = append(notes, format.Count(r.Other, "message", "")+" about something else left out")
	}
	if r.Partial > 0 {
		notes = append(notes, format.Count(r.Partial, "record", "")+" without long values that didn't change; "+
			"-patch keeps those that are loaded")
	}
	return notes
}
