package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// streamSilence is the longest time without a line in a stream: the server sends one every ten seconds.
	streamSilence = time.Minute
	// minReconnectWait is the shortest time between two connections, for streams that end at once.
	minReconnectWait = time.Second
	// maxStreamLine is the greatest length of a line in bytes. A change has an ID and a few words.
	maxStreamLine = 1 << 20
)

// errSilent is why a stream without lines is given up.
var errSilent = errors.New("nothing arrived for a minute")

func (c *cli) changesCommand() *command {
	flags := c.newFlags("changes")
	cursor := flags.String("cursor", "", "begin after this `place` in the feed; 0 is its beginning, the default its end")
	follow := flags.Bool("follow", false, "wait for further changes, until Ctrl-C")

	return &command{
		name: "changes", summary: "list which freelancers have changed",
		details: `
The server keeps changes for 30 days. The first column is the cursor after each change. The key needs the permission
data:read. With -json and -follow, each line is a change.

Examples:
  matching changes -follow
  matching changes -cursor 0
  matching changes -cursor 41 -json | jq -r .next_cursor
`,
		flags: flags,
		run: func(ctx context.Context, _ []string) error {
			a, err := c.api()
			if err != nil {
				return err
			}
			f := &follower{cli: c, api: a, cursor: *cursor, silence: streamSilence}
			if *follow {
				return f.follow(ctx)
			}
			return f.list(ctx)
		},
	}
}

// A follower reads the feed of changes.
type follower struct {
	*cli
	api     *api
	cursor  string
	silence time.Duration // the longest one in a stream
}

// A changePage is the part of a response to changes that is printed.
type changePage struct {
	Data       []change `json:"data"`
	NextCursor string   `json:"next_cursor"`
	HasMore    bool     `json:"has_more"`
}

// page returns the changes after the cursor as the API has them, and moves the cursor.
func (f *follower) page(ctx context.Context) (body []byte, page changePage, err error) {
	query := url.Values{"limit": {"1000"}}
	if f.cursor != "" {
		query.Set("cursor", f.cursor)
	}
	body, err = f.api.send(ctx, request{method: http.MethodGet, path: "/changes", query: query})
	if err != nil {
		return nil, page, err
	}
	if err := decode(body, &page); err != nil {
		return nil, page, err
	}
	f.cursor = page.NextCursor
	return body, page, nil
}

// list prints the changes after the cursor.
func (f *follower) list(ctx context.Context) error {
	for {
		body, page, err := f.page(ctx)
		if err != nil {
			return err
		}
		if f.options.json {
			f.printJSON(body)
		} else {
			for i := range page.Data {
				f.printChange(&page.Data[i])
			}
		}
		if !page.HasMore {
			fmt.Fprintf(f.stderr, "Later changes: matching changes -cursor %s\n", printable(f.cursor, 40))
			return nil
		}
	}
}

func (c *cli) printChange(e *change) {
	fmt.Fprintf(c.stdout, "%-8d %s  %s\n", e.Sequence, e.At.Local().Format(time.DateTime), printable(e.String(), 300))
}

// follow prints the changes after the cursor, and further ones as they happen, until ctx ends or an error that does not
// go away by itself. The server ends a stream after an hour.
func (f *follower) follow(ctx context.Context) error {
	// Without a cursor to continue from, changes would be missed after a broken connection.
	if f.cursor == "" {
		if _, _, err := f.page(ctx); err != nil {
			return err
		}
	}

	p := &problems{stderr: f.stderr}
	for ctx.Err() == nil {
		if err := f.streamAndWait(ctx, p); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// streamAndWait prints the changes of one connection, and waits until the next one should be made.
func (f *follower) streamAndWait(ctx context.Context, p *problems) error {
	err := f.stream(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	wait, err := p.tolerate(err)
	if err != nil {
		return err
	}
	return f.pause(ctx, max(minReconnectWait, wait))
}

// stream prints the changes of one connection. It returns nil when the server ends it, also with an error: the next
// connection gets the error as a response.
func (f *follower) stream(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(f.silence, func() { cancel(errSilent) })
	defer silence.Stop()

	err := f.readStream(ctx, func() { silence.Reset(f.silence) })
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return &unreachableError{f.api.origin, errSilent}
	}
	return err
}

// readStream prints the changes of one connection, and calls progress for each line.
func (f *follower) readStream(ctx context.Context, progress func()) error {
	opened, err := f.api.open(ctx, request{
		method: http.MethodGet, path: "/changes/stream", query: url.Values{"cursor": {f.cursor}},
	})
	if err != nil {
		return err
	}
	defer opened.Body.Close()

	// Comments are heartbeats, and each change has its ID in its data.
	lines := bufio.NewScanner(opened.Body)
	lines.Buffer(nil, maxStreamLine)
	kind := ""
	for lines.Scan() {
		progress()
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "event":
			kind = value
		case name == "data" && kind == "change":
			if err := f.handle([]byte(value)); err != nil {
				return err
			}
		}
	}
	err = lines.Err()
	if errors.Is(err, bufio.ErrTooLong) { // and it will be as long the next time
		return fmt.Errorf("the stream of changes has a line of more than %d bytes after cursor %s; "+
			"continue after it with -cursor, or check the proxies in between", maxStreamLine, f.cursor)
	}
	if err != nil {
		return &unreachableError{f.api.origin, err}
	}
	return nil
}

// handle prints a change of a stream, and moves the cursor.
func (f *follower) handle(data []byte) error {
	var e change
	if err := decode(data, &e); err != nil {
		return err
	}
	if f.options.json {
		f.printJSON(data)
	} else {
		f.printChange(&e)
	}
	f.cursor = fmt.Sprint(e.Sequence)
	return nil
}
