package elastic

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// However a scan ends, it closes its point in time.
func TestScan_ClosesPointInTime(t *testing.T) {
	n := newFakeNode(t)
	b := n.fill(nil)
	addAll(t, b, many(scanPage+5)...)

	if _, err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		name   string
		after  int // number of freelancers after which the caller stops
		cancel bool
		want   error
		seen   int
		pages  int
	}{
		{name: "at the end", after: -1, seen: scanPage + 5, pages: 2},
		{name: "on the first page", after: 1, seen: 1, pages: 1},
		{name: "on the second page", after: scanPage + 1, seen: scanPage + 1, pages: 2},
		{name: "when its context ends", after: 3, cancel: true, want: context.Canceled, seen: scanPage, pages: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()

			n.closed, n.others = nil, nil
			seen := 0
			last := error(nil)
			for f, err := range n.engine.Scan(ctx, "index") {
				if err != nil {
					last = err
					continue
				}

				if want := fmt.Sprint(seen); f.ID != want {
					t.Fatalf("freelancer %d is %s, want %s", seen, f.ID, want)
				}
				seen++
				if seen == c.after && c.cancel {
					cancel()
				} else if seen == c.after {
					break
				}
			}

			if seen != c.seen || !errors.Is(last, c.want) {
				t.Errorf("got %d freelancers, error %v; want %d, %v", seen, last, c.seen, c.want)
			}
			pages := 0
			for _, request := range n.others {
				if request == "POST /_search" {
					pages++
				}
			}

			if pages != c.pages || len(n.closed) != 1 || n.closed[0] != `{"id":"point-in-time"}` {
				t.Errorf("got %d pages, closed %v; want %d pages, one point in time closed", pages, n.closed, c.pages)
			}
		})
	}
}
