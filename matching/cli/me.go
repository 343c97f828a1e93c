package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/freelancer-matching/service/indexer/format"
)

func (c *cli) meCommand() *command {
	return &command{
		name: "me", summary: "show the key's plan, permissions and what is left of its limits",
		details: `
It counts against no limit, so it also tests the address and the key.

Example:
  matching me
`,
		flags: c.newFlags("me"),
		run: func(ctx context.Context, _ []string) error {
			a, err := c.api()
			if err != nil {
				return err
			}
			body, err := a.send(ctx, request{method: http.MethodGet, path: "/me"})
			if err != nil {
				return err
			}
			return show(c, body, func(answer *me) error {
				c.printMe(a.origin, answer)
				return nil
			})
		},
	}
}

// me is the part of a response to me that is printed.
type me struct {
	Data struct {
		KeyID       string   `json:"key_id"`
		Name        string   `json:"name"`
		Plan        string   `json:"plan"`
		ExpiresAt   string   `json:"expires_at"`
		Operations  []string `json:"operations"`
		Permissions []string `json:"permissions"`
		Limits      []struct {
			Name      string `json:"name"`
			Window    string `json:"window"`
			Limit     int    `json:"limit"`
			Remaining int    `json:"remaining"`
		} `json:"limits"`
	} `json:"data"`
}

// capitalized returns a word with a capital letter.
func capitalized(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

func (c *cli) printMe(origin string, answer *me) {
	d := &answer.Data
	orElse := func(items []string, otherwise string) string {
		if len(items) == 0 {
			return otherwise
		}
		return strings.Join(items, ", ")
	}
	for _, row := range [][2]string{
		{"Server", origin},
		{"Key", fmt.Sprintf("%s (%s)", d.KeyID, printable(d.Name, 60))},
		{"Plan", d.Plan},
		{"Operations", orElse(d.Operations, "all")},
		{"Permissions", orElse(d.Permissions, "none")},
		{"Expires", orElse(splitList(d.ExpiresAt), "never")},
	} {
		fmt.Fprintf(c.stdout, "%-12s %s\n", row[0], row[1])
	}

	// A plan without limits has no lines here.
	for _, l := range d.Limits {
		left := 0.0
		if l.Limit > 0 {
			left = float64(l.Remaining) / float64(l.Limit)
		}
		fmt.Fprintf(c.stdout, "%-12s %s%s of %s left this %s\n", capitalized(l.Name),
			c.picture(left), format.Number(l.Remaining), format.Number(l.Limit), l.Window)
	}
}
