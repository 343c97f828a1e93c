package match_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
)

// ferry is a brief, invented, long enough to recognize copies.
const ferry = `Booking site for a small ferry company
We run two ferries between the mainland and an island and still take every reservation by phone. We want a React
front end where passengers choose a crossing, add cars and bicycles, and pay by card. Staff need a calendar with the
load of each crossing. Cancellations because of weather must reach passengers by text message within minutes.
Please describe a similar reservation system that you built, and how you would test payments.`

func sailor(id string) matching.Freelancer {
	return matching.Freelancer{
		ID: id, JobTitle: "React developer", Skills: []string{"React", "TypeScript"},
		Description: "I build booking and reservation sites with React, calendars and card payments included. " +
			"My last project was a ticket shop for a museum.",
	}
}

func copier(id, description string) matching.Freelancer {
	return matching.Freelancer{ID: id, JobTitle: "Plumber", Skills: []string{"Plumbing"}, Description: description}
}

func shuffled(parts []string, between string) string {
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts, between)
}

func TestMatch_LeavesOutProfilesThatRepeatTheBrief(t *testing.T) {
	words := strings.Fields(ferry)
	own := strings.Repeat("I repair boilers and pipes in old houses, clean and on time. ", 8)
	for name, copied := range map[string]matching.Freelancer{
		"all":                 copier("copy", ferry),
		"after own text":      copier("copy", own+ferry),
		"before own text":     copier("copy", ferry+own),
		"the first half":      copier("copy", strings.Join(words[:len(words)/2], " ")),
		"shuffled sentences":  copier("copy", shuffled(strings.Split(ferry, "."), ". ")),
		"shuffled words":      copier("copy", own+shuffled(slices.Clone(words), " ")),
		"in other characters": copier("copy", strings.ToUpper(strings.ReplaceAll(ferry, "e", "é"))),
		"with function words": copier("copy", strings.ReplaceAll(ferry, " ", " the ")),
		"in markup":           copier("copy", "<b>"+strings.Join(words, "</b> <b>")+"</b>"),
		"in the title":        {ID: "copy", JobTitle: ferry},
		"as skills":           {ID: "copy", JobTitle: "React developer", Skills: strings.Split(ferry, ".")},
		"everything": {
			ID: "copy", JobTitle: "Booking site for a small ferry company", Skills: []string{"React"},
			Description: ferry,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sailor("a"), copied, sailor("b"))
			answer := w.match(matching.Brief{Description: ferry, RequiredSkills: []string{"React"}, Limit: 3})
			if got := ids(answer); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("matches %v, want a and b", got)
			}

			note := matching.Skipped{Feature: matching.SkippedCopies, Reason: "1 freelancer was left out because the " +
				"profile repeats the brief: copy; use filters.ids to score it anyway"}
			if !slices.Contains(answer.Skipped, note) || answer.Considered != 2 {
				t.Errorf("skipped %v, considered %d; want %v and 2", answer.Skipped, answer.Considered, note)
			}
		})
	}
}

func TestMatch_KeepsProfilesThatOnlyResembleTheBrief(t *testing.T) {
	var apart strings.Builder
	for i, word := range strings.Fields(ferry) {
		apart.WriteString(word)
		for j := range 12 {
			fmt.Fprintf(&apart, " part%d", 12*i+j)
		}
		apart.WriteString("\n")
	}

	for name, kept := range map[string]matching.Freelancer{
		"the same trade":       sailor("c"),
		"one sentence":         copier("c", "We want a React front end where passengers choose a crossing. I do plumbing."),
		"its words, far apart": copier("c", apart.String()),
	} {
		w := newWorld(t, sailor("a"), kept)
		answer := w.match(matching.Brief{Description: ferry, RequiredSkills: []string{"React"}, Limit: 5})
		aboutCopies := func(s matching.Skipped) bool { return s.Feature == matching.SkippedCopies }
		if got := ids(answer); !slices.Contains(got, "c") || slices.ContainsFunc(answer.Skipped, aboutCopies) {
			t.Errorf("%s: matches %v, skipped %v; want c among them", name, got, answer.Skipped)
		}
	}
}

// A client who asks for freelancers by id gets them, and so does one with a short brief, which anybody may repeat.
func TestMatch_KeepsCopiesThatTheClientAskedFor(t *testing.T) {
	w := newWorld(t, sailor("a"), copier("copy", ferry))
	b := matching.Brief{Description: ferry, Limit: 5}
	b.Filters.IDs = []string{"copy", "a"}
	answer := w.match(b)
	if len(answer.Matches) != 2 || !strings.Contains(fmt.Sprint(answer.Skipped),
		"{copies the profile of 1 freelancer repeats the brief, so the score says little: copy}") {
		t.Errorf("by id: %v, skipped %v", ids(answer), answer.Skipped)
	}

	b = matching.Brief{Description: ferry, Limit: 5, KeepCopies: true}
	if answer = w.match(b); len(answer.Matches) != 2 || len(answer.Skipped) > 0 {
		t.Errorf("like a profile: %v, skipped %v", ids(answer), answer.Skipped)
	}

	w = newWorld(t, sailor("a"), copier("copy", "React developer for a booking site"))
	b = matching.Brief{Description: "React developer for a booking site", Limit: 5}
	if answer = w.match(b); len(answer.Matches) != 2 || len(answer.Skipped) > 0 {
		t.Errorf("a short brief: %v, skipped %v", ids(answer), answer.Skipped)
	}

	w = newWorld(t, copier("copy", ferry))
	if answer = w.match(matching.Brief{Description: ferry, Limit: 5}); len(answer.Matches) != 1 ||
		len(answer.Skipped) != 1 {
		t.Errorf("nobody else: %v, skipped %v", ids(answer), answer.Skipped)
	}
}

func TestMatch_PagesWithoutCopiesAgree(t *testing.T) {
	var all []matching.Freelancer
	for i := range 20 {
		f := sailor(fmt.Sprintf("honest-%02d", i))
		f.Description += strings.Repeat(" I also paint.", i)
		all = append(all, f)
	}

	for i := range 60 {
		all = append(all, copier(fmt.Sprintf("copy-%02d", i), ferry))
	}

	w := newWorld(t, all...)
	ask := func(offset, limit int) *matching.Answer {
		return w.match(matching.Brief{
			Description: ferry, RequiredSkills: []string{"React"}, Offset: offset, Limit: limit,
		})
	}

	whole := ask(0, 20)
	if len(whole.Matches) != 20 || strings.Contains(strings.Join(ids(whole), " "), "copy") {
		t.Fatalf("matches %v, want 20 honest freelancers", ids(whole))
	}

	var paged []string
	for offset := 0; offset < 20; offset += 3 {
		paged = append(paged, ids(ask(offset, 3))...)
	}

	if !slices.Equal(paged[:20], ids(whole)) {
		t.Errorf("pages %v\nwant  %v", paged, ids(whole))
	}

	if note := fmt.Sprint(whole.Skipped); !strings.Contains(note, "60 freelancers were left out") ||
		!strings.Contains(note, "copy-09 and 50 more;") {
		t.Errorf("skipped %s", note)
	}
}

// counting counts the calls of an engine.
type counting struct {
	engine.Searcher
	calls []string
}

func (c *counting) Open(ctx context.Context, alias string) (engine.Snapshot, error) {
	s, err := c.Searcher.Open(ctx, alias)
	return &countingSnapshot{s, c}, err
}

type countingSnapshot struct {
	engine.Snapshot
	of *counting
}

func (s *countingSnapshot) Search(ctx context.Context, q *engine.Query) (*engine.Page, error) {
	s.of.calls = append(s.of.calls, fmt.Sprint("search ", q.Size))
	return s.Snapshot.Search(ctx, q)
}

func (s *countingSnapshot) Fetch(ctx context.Context, ids []string) ([]matching.Freelancer, error) {
	s.of.calls = append(s.of.calls, fmt.Sprint("fetch ", len(ids)))
	return s.Snapshot.Fetch(ctx, ids)
}

func TestMatch_LooksForCopiesWithoutFurtherCalls(t *testing.T) {
	w := newWorld(t, sailor("a"), sailor("b"), copier("c", "I repair ferries."))
	e := &counting{Searcher: w.engine}
	b := matching.Brief{Description: ferry, Limit: 2}
	if _, err := w.serviceOn(e, match.DefaultWindow).Match(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if want := []string{"search 2", "fetch 2"}; !slices.Equal(e.calls, want) {
		t.Errorf("calls %v, want %v", e.calls, want)
	}
}
