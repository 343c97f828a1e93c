package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/commandline"
)

func (c *cli) triggerCommand() *command {
	flags := c.newFlags("trigger")
	endpoint := flags.String("endpoint", "", "`ID` of one endpoint, also if it is off or doesn't ask for the event")

	return &command{
		name: "trigger", arguments: strings.Join(eventNames(), " | "), summary: "send a test event to webhook endpoints",
		details: `
Each endpoint of the account that is on and asks for the event gets a message with invented data and "test": true, also
one that "matching listen" has made. With -json, each line is a response of the API. The key needs the permission
webhooks:write.

Examples:
  matching trigger freelancer.changed
  matching trigger load.live -endpoint we_4k2zq7d5n3hx6m2p
`,
		flags: flags, fewest: 1, most: 1,
		run: func(ctx context.Context, args []string) error { return c.trigger(ctx, args[0], *endpoint) },
	}
}

// An endpoint is a webhook endpoint of the account.
type endpoint struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Events  []string `json:"events"`
	Enabled bool     `json:"enabled"`
}

// trigger sends a test event to the endpoint with an ID, or with "" to all that ask for it.
func (c *cli) trigger(ctx context.Context, event, id string) error {
	a, err := c.api()
	if err != nil {
		return err
	}
	targets := []endpoint{{ID: id}}
	if id == "" {
		targets, err = a.endpointsFor(ctx, event)
		if err != nil {
			return err
		}
	}

	// The server checks the event, whose name may be newer than this program.
	for _, target := range targets {
		q := request{method: http.MethodPost, path: "/webhooks/" + url.PathEscape(target.ID) + "/test"}
		body, err := a.sendJSON(ctx, q, map[string]string{"event": event})
		if err != nil {
			return err
		}
		err = show(c, body, func(answer *struct{ Data struct{ ID string } }) error {
			name := printable(target.ID, 60)
			if target.Name != "" {
				name += " (" + printable(target.Name, 100) + ")"
			}
			fmt.Fprintf(c.stdout, "%s to %s: %s\n", printable(event, 60), name, printable(answer.Data.ID, 60))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// errNoEndpoint means that the account has no endpoint for an event.
var errNoEndpoint = errors.New("the account has no webhook endpoint")

// endpointsFor returns the endpoints that are on and ask for an event.
func (a *api) endpointsFor(ctx context.Context, event string) ([]endpoint, error) {
	body, err := a.send(ctx, request{method: http.MethodGet, path: "/webhooks"})
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []endpoint `json:"data"`
	}
	if err := decode(body, &list); err != nil {
		return nil, err
	}

	targets := slices.DeleteFunc(list.Data, func(e endpoint) bool {
		return !e.Enabled || !slices.Contains(e.Events, event)
	})
	if len(targets) == 0 {
		hint := ""
		if !slices.Contains(eventNames(), event) {
			hint = commandline.DidYouMean(event, "", eventNames())
		}
		return nil, fmt.Errorf("%w that is on and asks for %s; start \"matching listen\" in another terminal, "+
			"create an endpoint on the dashboard, or name one with -endpoint%s", errNoEndpoint, event, hint)
	}
	return targets, nil
}
