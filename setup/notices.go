package setup

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/notices"
	"github.com/freelancer-matching/service/notices/mail"
	"github.com/freelancer-matching/service/webhook"
)

// A NoticeChannel is a configured way to send notices of changed credentials.
type NoticeChannel struct {
	Channel   notices.Channel
	Transport webhook.Transport
}

// OpenNotices returns the configured ways to send notices, without connecting to anything.
func OpenNotices(c config.Config) (channels []NoticeChannel, err error) {
	if c.Notices.Mails() {
		mailer, err := OpenMailer(c)
		if err != nil {
			return nil, err
		}
		channels = append(channels, NoticeChannel{notices.Mail, mailer})
	}

	if c.Notices.Webhooks() {
		endpoint, err := openNoticeEndpoint(c)
		if err != nil {
			return nil, err
		}
		channels = append(channels, NoticeChannel{notices.Webhook, endpoint})
	}

	return channels, nil
}

// noticeChannels returns the channels for which the database stores notices.
func noticeChannels(c config.Config) (channels []notices.Channel) {
	if c.Notices.Mails() {
		channels = append(channels, notices.Mail)
	}
	if c.Notices.Webhooks() {
		channels = append(channels, notices.Webhook)
	}
	return channels
}

// OpenMailer returns the mailer of the configured mail server.
func OpenMailer(c config.Config) (*mail.Mailer, error) {
	server, err := c.Notices.MailServer()
	if err != nil {
		return nil, fmt.Errorf("-smtp-url: %w", err)
	}

	encryption := mail.STARTTLS
	switch {
	case server.TLS:
		encryption = mail.TLS
	case server.Plain:
		encryption = mail.Off
	}

	return &mail.Mailer{
		Server: mail.Server{
			Host: server.Host, Port: server.Port, Encryption: encryption, CA: c.Notices.CACert,
			User: server.User, Password: c.Notices.SMTPPassword.Get,
		},
		From: c.Notices.From,
		Site: c.Public(),
	}, nil
}

// A noticeEndpoint sends all messages to the operator's endpoint.
type noticeEndpoint struct {
	webhook.HTTP
	url    string
	secret *config.Secret // read again while the server runs
}

func openNoticeEndpoint(c config.Config) (noticeEndpoint, error) {
	u, err := url.Parse(c.Notices.WebhookURL)
	if err != nil {
		return noticeEndpoint{}, fmt.Errorf("-notice-webhook-url: %w", err)
	}
	if _, err := webhook.ParseSecret(c.Notices.WebhookSecret.Get()); err != nil {
		return noticeEndpoint{}, fmt.Errorf("the secret in -notice-webhook-key-file %w", err)
	}

	// The operator chose the host, so it may be on the operator's network.
	allowed := webhook.Allowed{Hosts: []string{u.Hostname()}}
	return noticeEndpoint{
		webhook.HTTP{Client: allowed.NewClient(), Now: time.Now}, c.Notices.WebhookURL, c.Notices.WebhookSecret,
	}, nil
}

// Send implements webhook.Transport.
func (e noticeEndpoint) Send(ctx context.Context, d *webhook.Delivery) (after time.Duration, err error) {
	secret, err := webhook.ParseSecret(e.secret.Get())
	if err != nil {
		return 0, fmt.Errorf("the secret in -notice-webhook-key-file %w", err)
	}
	addressed := *d
	addressed.Endpoint = webhook.Endpoint{URL: e.url, Secret: secret}
	return e.HTTP.Send(ctx, &addressed)
}
