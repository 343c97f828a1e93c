package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/notices"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/webhook"
)

const noticesHelp = `Usage: server notices test -to ADDRESS [flags]

Send a test notice by each configured way: as a mail to an address, and to the endpoint of -notice-webhook-url. Give the
command the same settings as the server. It needs no database, and the server may run meanwhile.

Notices tell people of changed credentials: passwords, second factors, email addresses, roles and API keys.

Examples:
  server notices test -to you@example.com

Flags:
`

func (c console) notices(ctx context.Context, args []string) error {
	settings := config.Default()
	flags := commandline.NewFlags("server notices")
	to := flags.String("to", "", "email `address` of the recipient")
	words, err := c.parse(flags, args, noticesHelp, &settings)
	if err != nil {
		return err
	}
	if len(words) != 1 || words[0] != "test" {
		return commandline.Usagef("use server notices test -to ADDRESS")
	}
	email, err := account.ParseEmail(*to)
	if err != nil {
		return commandline.Usagef("-to: %v", err)
	}

	channels, err := setup.OpenNotices(settings)
	if err != nil {
		return err
	}
	if len(channels) == 0 {
		return errors.New("no notices are configured; set -smtp-url or -notice-webhook-url")
	}

	message, err := testNotice(email, time.Now())
	if err != nil {
		return err
	}
	var failures []error
	for _, channel := range channels {
		if _, err := channel.Transport.Send(ctx, message); err != nil {
			failures = append(failures, fmt.Errorf("not sent by %s: %w", channel.Channel, err))
			continue
		}
		fmt.Fprintf(c.stdout, "sent by %s\n", channel.Channel)
	}

	return errors.Join(failures...)
}

// testNotice returns a message for an address that says that it is a test.
func testNotice(email string, at time.Time) (*webhook.Delivery, error) {
	body, err := json.Marshal(notices.Message{
		Type: notices.Type, Timestamp: at, Recipient: notices.Recipient{Email: email},
		Events: []notices.Event{{
			Title: "This is a test, and nothing was changed", At: at, By: notices.Operator, Action: audit.Action("test"),
		}},
	})
	if err != nil {
		return nil, err
	}
	return &webhook.Delivery{Message: *webhook.NewMessage(notices.Type, body, at), Attempt: 1}, nil
}
