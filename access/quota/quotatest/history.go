package quotatest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	gocmp "github.com/google/go-cmp/cmp"

	"freelancer-matching/access/quota"
)

// call is one call of a store, and what came of it.
type call struct {
	asked, answer quota.Windows
	peek, taken   bool
	// began and ended number the moments around the call: one that ended before another began came first.
	began, ended int64
}

// clock numbers moments.
type clock struct{ atomic.Int64 }

func (c *clock) next() int64 { return c.Add(1) }

// check looks for an order in which a model, asked one call after the other, gives the answers of a history of calls of one
// subject: the history is linearizable (Herlihy and Wing, 1990). There are few orders to try, because each request that was let
// through tells in its answer which one of its month it was; what changes nothing may have happened between any two of them.
func check(history []call) error {
	var taken []call
	for _, c := range history {
		if c.taken {
			taken = append(taken, c)
		}
	}
	slices.SortFunc(taken, func(a, b call) int {
		return cmp.Or(a.answer.Month.Start.Compare(b.answer.Month.Start), cmp.Compare(a.answer.Month.Used, b.answer.Month.Used))
	})
	states := []model{{}} // before the first, and after each
	for i, c := range taken {
		after, answer, ok := states[i].take(c.asked)
		if !ok {
			return fmt.Errorf("over the allowance: request %d of %+v was let through with %+v used", i+1, c.asked, states[i])
		}
		if diff := gocmp.Diff(answer, c.answer); diff != "" {
			return fmt.Errorf("answer to request %d of %+v with %+v used (-want +got):\n%s", i+1, c.asked, states[i], diff)
		}
		states = append(states, after)
	}
	latest := int64(math.MinInt64)
	for i, c := range taken {
		if c.ended < latest {
			return fmt.Errorf("request %d was counted after one that began when it had ended: %+v", i+1, c)
		}
		latest = max(latest, c.began)
	}
	for _, c := range history {
		if !c.taken && !fits(c, taken, states) {
			return fmt.Errorf("no state that the store can have been in explains %+v, of %+v", c, states)
		}
	}
	return nil
}

// fits reports whether a call that took nothing got the answer of one of the states between its beginning and its end.
func fits(c call, taken []call, states []model) bool {
	first, last := 0, len(taken)
	for i, other := range taken {
		if other.ended < c.began {
			first = max(first, i+1)
		}
		if other.began > c.ended {
			last = min(last, i)
		}
	}
	for _, s := range states[first : last+1] {
		if _, _, ok := s.take(c.asked); (c.peek || !ok) && gocmp.Equal(s.peek(c.asked), c.answer) {
			return true
		}
	}
	return false
}
