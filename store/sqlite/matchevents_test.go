package sqlite

import (
	"fmt"
	"testing"
	"time"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/store/storetest"
)

func TestMatchEvents(t *testing.T) {
	storetest.MatchEvents(t, openEmpty)
}

// BenchmarkAddEvents stores a thousand events, the most that a request has.
func BenchmarkAddEvents(b *testing.B) {
	db := newDB(b)
	request := 0
	for b.Loop() {
		request++
		var list []events.Event
		for i := range 1000 {
			list = append(list, events.Event{
				Account: "acc_1", Match: fmt.Sprint("request-", request), Freelancer: fmt.Sprint("f", i), Type: events.Shown,
				At: time.Now(), Rank: i + 1,
			})
		}
		if _, err := db.MatchEvents.AddEvents(b.Context(), "acc_1", list, 1<<30); err != nil {
			b.Fatal(err)
		}
	}
}
