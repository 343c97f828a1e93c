package matching

import (
	"context"
	"encoding/json"
	"iter"
	"net/url"
	"strconv"
)

// maxFeedPage is the number of changes in the largest page.
const maxFeedPage = 1000

// A ChangeFeed reads which freelancers have changed, for copies of their records. The key needs the permission
// data:read.
//
// Call Cursor, read all freelancers, and then List or Stream the changes after the cursor. Keep the cursor of the last
// change with your copies. Read all freelancers again after a change of the kind index.replaced, and after ErrExpired.
type ChangeFeed struct{ transport *transport }

// Cursor returns the cursor after which later changes come.
func (c FeedChange) Cursor() string { return strconv.FormatInt(c.Sequence, 10) }

// Cursor returns the cursor after which changes from now on come.
func (s *ChangeFeed) Cursor(ctx context.Context) (string, error) {
	page, err := s.page(ctx, "")
	return page.NextCursor, err
}

// A changePage is a part of the feed.
type changePage struct {
	answer[[]FeedChange]
	HasMore bool `json:"has_more"`
}

// page returns the changes after a cursor.
func (s *ChangeFeed) page(ctx context.Context, cursor string) (changePage, error) {
	query := url.Values{}
	if cursor != "" {
		query.Set("cursor", cursor)
		setNumber(query, "limit", maxFeedPage)
	}
	var page changePage
	err := s.transport.do(ctx, get("/api/v1/changes", query), &page)
	return page, err
}

// List iterates over the changes after a cursor, in their order, and ends when there are no more. The cursor "0" is the
// beginning of the feed, which keeps changes for 30 days. An error comes last.
func (s *ChangeFeed) List(ctx context.Context, cursor string) iter.Seq2[FeedChange, error] {
	return func(yield func(FeedChange, error) bool) {
		for {
			page, err := s.page(ctx, cursor)
			if err != nil {
				yield(FeedChange{}, err)
				return
			}

			for _, change := range page.Data {
				if !yield(change, nil) {
					return
				}
			}
			if !page.HasMore {
				return
			}
			cursor = page.NextCursor
		}
	}
}

// streamPersistence is how often a stream tries to connect again, for each retry that the options allow: often enough
// for a server that restarts. Without retries it tries once, because the service ends each connection after an hour.
const streamPersistence = 5

// Stream iterates over the changes after a cursor, and then over further ones as they happen. "" stands for changes
// from now on. It ends only with the loop, the context or an error, which comes last: when the service ends a
// connection, as it does after an hour, or when the connection breaks, it connects again and continues after the last
// change.
func (s *ChangeFeed) Stream(ctx context.Context, cursor string) iter.Seq2[FeedChange, error] {
	return func(yield func(FeedChange, error) bool) {
		// Without a cursor to continue from, changes would be missed after a broken connection.
		if cursor == "" {
			now, err := s.Cursor(ctx)
			if err != nil {
				yield(FeedChange{}, err)
				return
			}
			cursor = now
		}
		r := get("/api/v1/changes/stream", url.Values{"cursor": {cursor}})
		r.setHeader("Accept", "text/event-stream")

		failures := 0
		for {
			isDone := false
			err := s.transport.connect(ctx, r, func(event serverEvent) (bool, error) {
				failures = 0 // also after a comment: there may be no changes for hours
				if event.kind != "change" {
					return true, nil
				}
				var change FeedChange
				if err := json.Unmarshal([]byte(event.data), &change); err != nil {
					return false, err
				}

				r.setHeader("Last-Event-ID", event.id)
				isDone = !yield(change, nil)
				return !isDone, nil
			})
			if isDone {
				return
			}

			failures++
			demanded := retryAfter(err)
			mayContinue := ctx.Err() == nil && isTransient(err, true) && demanded <= s.transport.maxWait &&
				failures <= max(1, streamPersistence*s.transport.retries)
			if mayContinue {
				err = s.transport.pause(ctx, max(demanded, backoff(failures)))
			}
			if err != nil {
				yield(FeedChange{}, err)
				return
			}
		}
	}
}
