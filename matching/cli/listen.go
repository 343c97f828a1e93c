package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/webhook"
)

const (
	// variableSecret has the secret that signs forwarded messages, so that the local program can keep one.
	variableSecret = "MATCHING_WEBHOOK_SECRET"
	// minPollInterval and maxPollInterval limit the time between two polls. Each poll counts as a request of the key, so
	// the interval grows by minPollInterval after each pollsPerStep that found nothing. It is longest after an hour: 64
	// times 2, 4, … and 14 seconds.
	minPollInterval = 2 * time.Second
	maxPollInterval = 15 * time.Second
	pollsPerStep    = 64
	// maxBacklog is how many messages are handled of those that came since the last poll, the newest.
	maxBacklog = 1000
	// maxSeen is how many messages are remembered: the server keeps 10,000.
	maxSeen = 20_000
	// deleteTime limits the request that deletes the endpoint at the end.
	deleteTime = 10 * time.Second
)

func (c *cli) listenCommand() *command {
	flags := c.newFlags("listen")
	forward := flags.String("forward", "", "`URL` of a program to which each message is sent, such as on localhost")
	events := flags.String("events", "", "events to listen to, separated by commas (`list`); by default all")

	return &command{
		name: "listen", summary: "print webhooks as they happen, and forward them to a local program",
		details: `
It creates a webhook endpoint without a URL, asks the server for its messages, and deletes it at the end: press Ctrl-C.
Nothing has to reach your computer from outside. The key needs the permission webhooks:write; events about freelancers
and loads need data:read, too.

Forwarded messages are signed with the secret that is printed at the start, or with the one in MATCHING_WEBHOOK_SECRET,
which stays the same. Each message is forwarded once. With -json, each line is a delivery of the API; the member
"forwarded" has what the program responded. Each poll counts as a request: one every two seconds at first, one every 15
seconds after an hour without messages.

The events are ` + strings.Join(eventNames(), ", ") + `.

Examples:
  matching listen
  matching listen -forward http://localhost:3000/webhooks
  matching listen -events freelancer.changed,freelancer.erased -json | jq .body.data.changes
`,
		flags: flags,
		run: func(ctx context.Context, _ []string) error {
			l := &listener{cli: c, problems: problems{stderr: c.stderr}, seen: map[string]bool{}}
			chosen := eventNames()
			if *events != "" {
				chosen = splitList(*events)
			}
			if err := l.forwardTo(*forward); err != nil {
				return err
			}
			return l.run(ctx, chosen)
		},
	}
}

// A listener reads the messages to an endpoint of its own.
type listener struct {
	*cli
	api      *api
	endpoint string // its ID
	path     string // of the endpoint
	receiver *receiver
	problems problems

	seen       map[string]bool
	order      []string // of seen, the oldest first
	emptyPolls int      // polls in a row that found nothing
}

// A delivery is a message to the endpoint, as the API has it.
type delivery struct {
	ID        string          `json:"id"`
	Event     string          `json:"event"`
	CreatedAt time.Time       `json:"created_at"`
	Body      json.RawMessage `json:"body"`

	raw json.RawMessage // all of it
}

// forwardTo sets the address of the local program, unless it is empty.
func (l *listener) forwardTo(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return commandline.Usagef("-forward must be a URL, such as http://localhost:3000/webhooks; got %q", address)
	}

	l.receiver = newReceiver(address)
	if text, ok := l.environment(variableSecret); ok && text != "" {
		l.receiver.secret, err = webhook.ParseSecret(text)
		if err != nil {
			return commandline.Usagef("%s %v", variableSecret, err)
		}
	}
	return nil
}

// run creates the endpoint, handles its messages until ctx ends or an error, and deletes it.
func (l *listener) run(ctx context.Context, events []string) (err error) {
	l.api, err = l.cli.api()
	if err != nil {
		return err
	}

	// Ctrl-C must not leave an endpoint whose ID hasn't arrived.
	body, err := l.api.sendJSON(context.WithoutCancel(ctx), request{method: http.MethodPost, path: "/webhooks"},
		map[string]any{"name": "matching listen", "events": events})
	if err != nil {
		return err
	}
	var created struct {
		Data struct{ ID, Secret string }
	}
	if err := decode(body, &created); err != nil {
		return err
	}
	l.endpoint = created.Data.ID
	l.path = "/webhooks/" + url.PathEscape(l.endpoint)
	defer func() { err = cmp.Or(err, l.deleteEndpoint(ctx)) }()

	described := strings.Join(events, ", ")
	if slices.Equal(events, eventNames()) {
		described = "all events"
	}
	fmt.Fprintf(l.stderr, "Listening on %s for %s. Press Ctrl-C to stop.\n", l.api.origin, described)
	if l.receiver != nil {
		if err := l.chooseSecret(created.Data.Secret); err != nil {
			return err
		}
	}
	for ctx.Err() == nil {
		if err := l.poll(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// chooseSecret uses the secret of the endpoint, unless the user has one.
func (l *listener) chooseSecret(text string) (err error) {
	if l.receiver.secret != nil {
		fmt.Fprintf(l.stderr, "Messages to %s are signed with the secret in %s.\n", l.receiver.address, variableSecret)
		return nil
	}
	fmt.Fprintf(l.stderr, "Messages to %s are signed with %s\n", l.receiver.address, text)
	l.receiver.secret, err = webhook.ParseSecret(text)
	return err
}

// deleteEndpoint deletes the endpoint. ctx may have ended.
func (l *listener) deleteEndpoint(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTime)
	defer cancel()
	_, err := l.api.send(ctx, request{method: http.MethodDelete, path: l.path})
	if failure, ok := errors.AsType[*apiError](err); ok && failure.status == http.StatusNotFound {
		return nil
	}
	if err != nil {
		fmt.Fprintf(l.stderr, "The endpoint %s (\"matching listen\") remains. Delete it on the dashboard, under Webhooks.\n",
			printable(l.endpoint, 60))
		return err
	}
	fmt.Fprintln(l.stderr, "Deleted the endpoint.")
	return nil
}

// poll handles the messages that are new, and waits until the next poll.
func (l *listener) poll(ctx context.Context) error {
	fresh, err := l.fetch(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	wait, err := l.problems.tolerate(err)
	if err != nil {
		return err
	}

	l.emptyPolls++
	for i := range fresh {
		l.emptyPolls = 0
		if err := l.handle(ctx, &fresh[i]); err != nil {
			return err
		}
	}
	interval := min(maxPollInterval, minPollInterval*time.Duration(1+l.emptyPolls/pollsPerStep))
	return l.pause(ctx, max(wait, interval))
}

// fetch returns the messages that are new, the oldest first.
func (l *listener) fetch(ctx context.Context) (fresh []delivery, err error) {
	query := url.Values{"limit": {"100"}}
	for {
		body, err := l.api.send(ctx, request{method: http.MethodGet, path: l.path + "/deliveries", query: query})
		if err != nil {
			return nil, err
		}
		var page struct {
			Data       []json.RawMessage `json:"data"`
			NextCursor string            `json:"next_cursor"`
		}
		if err := decode(body, &page); err != nil {
			return nil, err
		}

		// Messages that come between two requests push known ones to the next page.
		found := 0
		for _, raw := range page.Data {
			d := delivery{raw: raw}
			if err := decode(raw, &d); err != nil {
				return nil, err
			}
			if !l.seen[d.ID] {
				fresh = append(fresh, d)
				found++
			}
		}
		if len(fresh) >= maxBacklog {
			fmt.Fprintf(l.stderr, "Many messages came at once; those before the last %d are skipped.\n", len(fresh))
			break
		}
		// A page of known messages has no new ones after it, because the newest come first.
		if found == 0 || page.NextCursor == "" {
			break
		}
		query.Set("cursor", page.NextCursor)
	}

	slices.Reverse(fresh)
	l.remember(fresh)
	return fresh, nil
}

// remember notes which messages were seen, and forgets those that the server no longer has.
func (l *listener) remember(fresh []delivery) {
	for _, d := range fresh {
		l.seen[d.ID] = true
		l.order = append(l.order, d.ID)
	}
	if excess := len(l.order) - maxSeen; excess > 0 {
		for _, id := range l.order[:excess] {
			delete(l.seen, id)
		}
		l.order = slices.Clone(l.order[excess:])
	}
}
