// Package compare finds the differences between two sets of freelancers, such as the live index and the previous one.
package compare

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// A Difference says how two sets of freelancers differ. IDs are in the order of the set that has them.
type Difference struct {
	Before, After  int // freelancers in each set, without damaged ones
	Added, Removed []string
	Changed        []Change
	ByField        [len(matching.Fields)]int // changed freelancers, by field
	Unchanged      int
	Damaged        []string // freelancers whose record is damaged in either set; they are not compared
}

// A Change is a freelancer who is in both sets with different values.
type Change struct {
	ID     string
	fields uint32 // bits by the position in matching.Fields
}

// Fields returns the names of the fields that differ.
func (c Change) Fields() (names []string) {
	for i := range matching.Fields {
		if c.fields&(1<<i) != 0 {
			names = append(names, matching.Fields[i].Name)
		}
	}
	return names
}

// Set is a set of freelancers that can be read more than once. A *engine.DamagedError stands for a damaged record; any
// other error ends the set.
type Set = iter.Seq2[matching.Freelancer, error]

// fingerprint is a hash of each field. A change goes unnoticed with a probability of 1 in 4 billion.
type fingerprint [len(matching.Fields)]uint32

// Sets compares two sets of freelancers by ID. It holds a fingerprint of 80 bytes of each freelancer in before, and the
// IDs of those who differ; only if any were removed does it read before again, to name them.
func Sets(ctx context.Context, before, after Set) (*Difference, error) {
	d := &Difference{}
	seed := maphash.MakeSeed()
	key := func(id string) uint64 { return maphash.String(seed, id) }
	damaged := make(map[uint64]bool)
	left := make(map[uint64]fingerprint) // of before, not yet found in after
	err := each(ctx, before, &d.Damaged, func(f *matching.Freelancer) {
		d.Before++
		left[key(f.ID)] = fingerprintOf(f, seed)
	})
	if err != nil {
		return nil, err
	}

	for _, id := range d.Damaged {
		damaged[key(id)] = true
	}
	var damagedAfter []string
	err = each(ctx, after, &damagedAfter, func(f *matching.Freelancer) {
		d.After++
		k := key(f.ID)
		old, ok := left[k]
		delete(left, k)

		switch {
		case damaged[k]:
		case !ok:
			d.Added = append(d.Added, f.ID)
		default:
			d.compare(f.ID, &old, f, seed)
		}
	})
	if err != nil {
		return nil, err
	}

	for _, id := range damagedAfter {
		delete(left, key(id))
		if !damaged[key(id)] {
			d.Damaged = append(d.Damaged, id)
		}
	}

	if len(left) == 0 {
		return d, nil
	}
	var ignored []string
	err = each(ctx, before, &ignored, func(f *matching.Freelancer) {
		if _, ok := left[key(f.ID)]; ok {
			d.Removed = append(d.Removed, strings.Clone(f.ID))
		}
	})

	return d, err
}

// compare adds a freelancer who is in both sets.
func (d *Difference) compare(id string, old *fingerprint, f *matching.Freelancer, seed maphash.Seed) {
	change := Change{}
	for i, hash := range fingerprintOf(f, seed) {
		if hash != old[i] {
			change.fields |= 1 << i
			d.ByField[i]++
		}
	}
	if change.fields == 0 {
		d.Unchanged++
		return
	}
	change.ID = strings.Clone(id)
	d.Changed = append(d.Changed, change)
}

// each calls do with every freelancer of a set, and adds the IDs of damaged records to damaged.
func each(ctx context.Context, set Set, damaged *[]string, do func(f *matching.Freelancer)) error {
	for f, err := range set {
		if damage, ok := errors.AsType[*engine.DamagedError](err); ok {
			*damaged = append(*damaged, damage.IDs...)
			continue
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		do(&f)
	}
	return nil
}

func fingerprintOf(f *matching.Freelancer, seed maphash.Seed) (print fingerprint) {
	for i := range matching.Fields {
		print[i] = uint32(maphash.String(seed, matching.Fields[i].Text(f)))
	}
	return print
}

// Skills returns the skills that only one of two lists has.
func Skills(before, after []string) (added, removed []string) {
	only := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
	}
	return only(after, before), only(before, after)
}
