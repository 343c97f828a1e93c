package freelancers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
	"github.com/freelancer-matching/service/match/labels"
)

// A Search says whom to find. Somebody must meet all of it; the zero value finds everybody.
type Search struct {
	Name  string // words of the name
	Skill string
	Place string // words of the location, or countries, separated by commas
}

// MaxFound is the number of freelancers up to which Find sorts and lists all.
const MaxFound = 20_000

// Found is a part of the freelancers that a search finds, in the natural order of their IDs: f2 comes before f10. Of
// more than MaxFound, it is a part of those that come first in byte order.
type Found struct {
	Freelancers []Stored
	Total       int // may be above MaxFound
	Damaged     int // freelancers of this part who were left out because their records are damaged
}

// Find returns up to limit freelancers that a search finds, after the first offset. Without data, it finds nobody.
func (s *Service) Find(ctx context.Context, q Search, offset, limit int) (found Found, err error) {
	filters, err := s.searchFilters(&q)
	if err != nil {
		return Found{}, err
	}

	err = engine.ReadLive(ctx, s.Engine, s.Alias, func(live engine.Snapshot) error {
		found = Found{}
		if live == nil {
			return nil
		}

		ids, err := live.List(ctx, filters, "", MaxFound)
		if err != nil {
			return fmt.Errorf("list freelancers: %w", err)
		}

		found.Total = len(ids)
		if len(ids) == MaxFound {
			if found.Total, err = live.Count(ctx, filters); err != nil {
				return fmt.Errorf("count freelancers: %w", err)
			}
		}

		slices.SortFunc(ids, compareNaturally)
		from := min(offset, len(ids))
		ids = ids[from:min(from+limit, len(ids))]
		list, damaged, err := s.fetch(ctx, live, ids)
		found.Freelancers, found.Damaged = list, damaged

		return err
	})

	return found, err
}

// searchFilters returns the filters of a search.
func (s *Service) searchFilters(q *Search) (engine.Filters, error) {
	wanted := &matching.Filters{}
	if q.Skill != "" {
		wanted.MustHaveSkills = []string{q.Skill}
	}
	filters, err := s.Filters(wanted)
	if err != nil {
		return engine.Filters{}, err
	}

	// The order of filters is the same for the same search, so that the engine recognizes them.
	filters.Labels = append(filters.Labels, labels.Name(q.Name)...)
	for part := range strings.SplitSeq(q.Place, ",") {
		country := ""
		if value.IsCountry(part) {
			country, _ = value.Country(part)
		}
		filters.Labels = append(filters.Labels, labels.Place(part, country)...)
	}

	return filters, nil
}

// fetch returns freelancers by ID. Damaged records are left out and counted, so that they don't make a whole list
// unreadable.
func (s *Service) fetch(
	ctx context.Context, live engine.Snapshot, ids []string,
) (list []Stored, damaged int, err error) {
	found, err := live.Fetch(ctx, ids)
	damage, isDamage := errors.AsType[*engine.DamagedError](err)
	if err != nil && !isDamage {
		return nil, 0, fmt.Errorf("fetch freelancers: %w", err)
	}

	list = []Stored{}
	for i, f := range found {
		if isDamage && slices.Contains(damage.IDs, ids[i]) {
			damaged++
			continue
		}
		list = append(list, newStored(f))
	}

	if isDamage {
		s.Logger.ErrorContext(ctx, "damaged records skipped", "error", damage, "hint", engine.Remedy(damage))
	}

	return list, damaged, nil
}

// compareNaturally compares two IDs by their text, in which numbers count as such: f2 comes before f10.
func compareNaturally(a, b string) int {
	for i := 0; i < len(a) && i < len(b); {
		if !isDigit(a[i]) || !isDigit(b[i]) {
			if a[i] != b[i] {
				return cmp.Compare(a[i], b[i])
			}
			i++
			continue
		}

		// Without leading zeros, the longer number is the larger one.
		x, y := leadingNumber(a[i:]), leadingNumber(b[i:])
		m, n := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
			return c
		}

		// Equal numbers may have different lengths, after which the positions no longer agree.
		if len(x) != len(y) {
			return cmp.Or(compareNaturally(a[i+len(x):], b[i+len(y):]), cmp.Compare(len(x), len(y)))
		}
		i += len(x)
	}

	return cmp.Compare(len(a), len(b))
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// leadingNumber returns the digits at the beginning of a text.
func leadingNumber(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}

// Source returns where the freelancers of the live index came from, or nil if that isn't recorded.
func (s *Service) Source(ctx context.Context) (p *engine.Provenance, err error) {
	err = engine.ReadLive(ctx, s.Engine, s.Alias, func(live engine.Snapshot) error {
		p = nil
		if live != nil {
			p = live.Info().Provenance
		}
		return nil
	})
	return p, err
}
