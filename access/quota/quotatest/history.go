package quotatest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/quota"
)

// call is one call to a store, with its result.
type call struct {
	request, answer quota.Windows
	peek, taken     bool
	// began and ended are logical times: a call that ended before another began came first.
	began, ended int64
}

// clock hands out logical times.
type clock struct{ atomic.Int64 }

func (c *clock) next() int64 { return c.Add(1) }

// check returns an error unless the history of one subject is linearizable (Herlihy and Wing, 1990): some order of
// the calls must explain every answer of the model when it is called one by one. Few orders are possible. The answer
// to a request that was taken contains its position in its month; calls that changed nothing may lie between any two
// of those.
func check(history []call) error {
	var taken []call
	for _, c := range history {
		if c.taken {
			taken = append(taken, c)
		}
	}

	slices.SortFunc(taken, func(a, b call) int {
		return cmp.Or(
			a.answer.Month.Start.Compare(b.answer.Month.Start), cmp.Compare(a.answer.Month.Used, b.answer.Month.Used))
	})

	states := []model{{}} // before the first taken request, and after each
	for i, c := range taken {
		after, answer, ok := states[i].take(c.request)
		if !ok {
			return fmt.Errorf("request %d of %+v was taken over the limit, in state %+v", i+1, c.request, states[i])
		}
		if diff := gocmp.Diff(answer, c.answer); diff != "" {
			return fmt.Errorf("answer to request %d of %+v in state %+v (-want +got):\n%s", i+1, c.request, states[i], diff)
		}

		states = append(states, after)
	}

	// Linearizable also means that no request takes effect after one that began once it had ended.
	latestStart := int64(math.MinInt64)
	for i, c := range taken {
		if c.ended < latestStart {
			return fmt.Errorf("request %d was counted after one that began after it had ended: %+v", i+1, c)
		}
		latestStart = max(latestStart, c.began)
	}

	for _, c := range history {
		if !c.taken && !explained(c, taken, states) {
			return fmt.Errorf("no state of the store explains %+v; the states were %+v", c, states)
		}
	}

	return nil
}

// explained reports whether one of the states between the beginning and the end of a call that took nothing gives the
// call's answer.
func explained(c call, taken []call, states []model) bool {
	first := 0
	last := len(taken)
	for i, other := range taken {
		if other.ended < c.began {
			first = max(first, i+1)
		}
		if other.began > c.ended {
			last = min(last, i)
		}
	}
	return slices.ContainsFunc(states[first:last+1], func(s model) bool {
		_, _, taken := s.take(c.request)
		return (c.peek || !taken) && gocmp.Equal(s.peek(c.request), c.answer)
	})
}
