package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/webhook"
)

// noticeWorkers is how many notices a channel sends at a time. A change of credentials is rare.
const noticeWorkers = 2

// openNotices opens the senders of notices, which run in the background.
func (s *Server) openNotices(c config.Config) error {
	channels, err := setup.OpenNotices(c)
	if err != nil {
		return err
	}
	for _, channel := range channels {
		s.notices = append(s.notices, webhook.NewSender(webhook.Sender{
			Name:      "notice by " + string(channel.Channel),
			Outbox:    s.DB.Notices.Outbox(channel.Channel),
			Transport: loggedTransport{channel, s.log},
			Now:       s.now,
			Log:       s.log,
			Sent:      func(outcome string) { s.Metrics.NoticeSent(string(channel.Channel), outcome) },
			Workers:   noticeWorkers,
		}))
	}
	return nil
}

// sendNotices sends notices until ctx ends.
func (s *Server) sendNotices(ctx context.Context) {
	var running sync.WaitGroup
	for _, sender := range s.notices {
		running.Go(func() { sender.Run(ctx) })
	}
	running.Wait()
}

// A loggedTransport logs failed attempts. Unlike the endpoints of clients, the mail server is the operator's.
type loggedTransport struct {
	setup.NoticeChannel
	log *slog.Logger
}

// Send implements webhook.Transport.
func (t loggedTransport) Send(ctx context.Context, d *webhook.Delivery) (after time.Duration, err error) {
	after, err = t.Transport.Send(ctx, d)
	if err != nil && ctx.Err() == nil {
		t.log.WarnContext(ctx, "notice not sent", "channel", string(t.Channel), "message", d.ID, "attempt", d.Attempt,
			"error", err)
	}
	return after, err
}
