package elastic

import (
	"context"
	"errors"
	"testing"
)

// A scan ends where the caller stops, or its context; either way Elasticsearch need not keep its view any longer.
func TestScan_Ends(t *testing.T) {
	n := newFakeNode(t)
	b := n.fill(nil)
	addAll(t, b, many(scanPage+5)...)
	if _, err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		after  int // freelancers
		cancel bool
		want   error
		seen   int
		pages  int
	}{
		{name: "at the end", after: -1, seen: scanPage + 5, pages: 2},
		{name: "at once", after: 1, seen: 1, pages: 1},
		{name: "on the second page", after: scanPage + 1, seen: scanPage + 1, pages: 2},
		{name: "by its context", after: 3, cancel: true, want: context.Canceled, seen: scanPage, pages: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			n.views, n.others = nil, nil
			seen, last := 0, error(nil)
			for f, err := range n.engine.Scan(ctx, "index") {
				if err != nil {
					last = err
					continue
				}
				if want := many(seen + 1)[seen].Freelancer.ID; f.ID != want {
					t.Fatalf("freelancer %d is %s", seen, f.ID)
				}
				seen++
				if seen == c.after && c.cancel {
					cancel()
				} else if seen == c.after {
					break
				}
			}
			if seen != c.seen || !errors.Is(last, c.want) {
				t.Errorf("%d freelancers, error %v; want %d, %v", seen, last, c.seen, c.want)
			}
			pages := 0
			for _, request := range n.others {
				if request == "POST /_search" {
					pages++
				}
			}
			if pages != c.pages || len(n.views) != 1 || n.views[0] != `{"id":"view"}` {
				t.Errorf("%d pages, views closed %v; want %d, and the one view", pages, n.views, c.pages)
			}
		})
	}
}
