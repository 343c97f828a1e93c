package briefs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/freelancer-matching/service/briefs/percolate"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/internal/matching"
)

// commit stores the lists that have changed, and how far the feed is read. A list whose brief waits for a match is
// stored after it.
func (w *Watcher) commit(ctx context.Context, next int64) error {
	now := w.Now().UTC().Truncate(time.Microsecond)
	var lists []List
	announces := false
	for _, id := range slices.Sorted(maps.Keys(w.changes)) {
		if w.due[id] {
			continue
		}
		if list, isNew := w.listOf(w.briefs[id], w.changes[id], now); isNew {
			lists = append(lists, list)
			announces = announces || len(list.Events) > 0
		}
	}
	if len(lists) == 0 && next == w.position {
		w.dropUnchanged()
		return nil
	}

	// A list that waits for its match was changed by what is read by now. If the process ends before, the next one matches
	// all briefs, and compares them with the stored lists.
	if err := w.Store.Commit(ctx, w.Holder, next, lists, now); err != nil {
		w.forget() // nobody knows whether it is stored
		return err
	}
	w.position = next
	for i := range lists {
		b := w.briefs[lists[i].Brief]
		b.People = lists[i].People
		b.Matched = now
	}
	w.dropUnchanged()
	if announces {
		w.Announce()
	}
	return nil
}

// dropUnchanged forgets the changes that are stored.
func (w *Watcher) dropUnchanged() {
	maps.DeleteFunc(w.changes, func(id string, _ *pending) bool { return !w.due[id] })
}

// listOf returns the present list of a brief, and whether it differs from the stored one.
func (w *Watcher) listOf(b *watched, p *pending, now time.Time) (l List, isNew bool) {
	before := map[string]*Person{}
	for i := range b.People {
		before[b.People[i].ID] = &b.People[i]
	}

	l = List{Brief: b.ID, Account: b.Account, Revision: b.Revision, Matched: now, People: []Person{}}
	var entered, available []*percolate.Place
	places := w.index.List(b.ID)
	for i := range places {
		place := &places[i]
		person := Person{
			ID: place.ID, Rank: place.Rank, Score: place.Score, Level: place.Level, Available: place.Available, Since: now,
		}
		old := before[place.ID]
		if old == nil {
			entered = append(entered, place)
		} else {
			person.Since = old.Since
			if person.Available && !old.Available {
				available = append(available, place)
			}
		}
		delete(before, place.ID)
		l.People = append(l.People, person)
	}

	isFirst := b.Matched.IsZero()
	isNew = isFirst || !slices.Equal(l.People, b.People)
	if !isNew || isFirst || !b.Settings.Notify {
		return l, isNew
	}

	left := slices.SortedFunc(maps.Values(before), func(x, y *Person) int { return cmp.Compare(y.Rank, x.Rank) })
	l.Events = w.events(b, p, entered, available, left)
	return l, true
}

// events returns the events of a list. The first who has entered takes the place of the last who was before.
func (w *Watcher) events(
	b *watched, p *pending, entered, available []*percolate.Place, left []*Person,
) (events []Event) {
	news := func(id string) feed.BriefNews {
		return feed.BriefNews{Brief: b.ID, Name: b.Settings.Name, Freelancer: id, Cause: p.cause}
	}

	for i, place := range entered {
		n := news(place.ID)
		n.Standing = w.standing(b.ID, place, p)
		if i < len(left) {
			n.Replaced = left[i].ID
		}
		events = append(events, Event{feed.BriefEntered, n})
	}
	for i, person := range left {
		n := news(person.ID)
		if i < len(entered) {
			n.ReplacedBy = entered[i].ID
		}
		events = append(events, Event{feed.BriefLeft, n})
	}
	for _, place := range available {
		n := news(place.ID)
		n.Standing = w.standing(b.ID, place, p)
		events = append(events, Event{feed.BriefAvailable, n})
	}
	return events
}

// standing explains a place. Who has moved up because of others, and not by a match, has no explanation.
func (w *Watcher) standing(brief string, place *percolate.Place, p *pending) *feed.BriefStanding {
	s := &feed.BriefStanding{
		Rank: place.Rank, Score: place.Score, Level: place.Level, MatchedSkills: []string{}, MissingSkills: []string{},
		Explanation: []matching.Feature{},
	}
	watch := w.index.Watch(brief)
	if c := p.candidates[place.ID]; c != nil && watch != nil {
		s.MatchedSkills, s.MissingSkills = watch.Skills(c)
		s.Explanation = watch.Scorer.Explain(c).Features
	}
	return s
}
