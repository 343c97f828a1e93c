package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/app"
)

// bootstrap creates the first administrator and the first API key, if the settings ask for them and there are none yet.
// So a container can be set up without anybody who opens a link.
func bootstrap(ctx context.Context, s *app.Server, c config.Config, log *slog.Logger) error {
	if c.AdminEmail != "" {
		if err := createAdministrator(ctx, s, c, log); err != nil {
			if faults, ok := errors.AsType[*matching.Error](err); ok { // which don't name the settings
				err = errors.New(faults.Message)
			}
			return fmt.Errorf("create the administrator of -admin-email: %w", err)
		}
	}
	if c.FirstKeyFile != "" {
		if err := createFirstKey(ctx, s, c.FirstKeyFile, log); err != nil {
			return fmt.Errorf("create the key for -first-key-file: %w", err)
		}
	}
	return nil
}

// createAdministrator registers the first user as if they had opened the set-up link.
func createAdministrator(ctx context.Context, s *app.Server, c config.Config, log *slog.Logger) error {
	secret, err := s.Links.CreateSetUp(ctx)
	if err != nil || secret == "" {
		return err
	}

	_, err = s.SignUps.Register(ctx, audit.By{Actor: audit.System}, account.NewUser{
		Email: c.AdminEmail, Password: c.AdminPassword.Get(), AccountName: "Operations", Secret: secret,
	})
	// Of several servers that start on one empty database, one creates the administrator.
	if code := matching.CodeOf(err); code == account.CodeLinkSpent {
		return nil
	}
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "administrator created", "email", c.AdminEmail)

	return nil
}

// createFirstKey creates a key and writes its token to a new file that only this user can read. If a key or the file
// exists, nothing happens.
func createFirstKey(ctx context.Context, s *app.Server, file string, log *slog.Logger) (err error) {
	switch _, err := os.Stat(file); {
	case err == nil:
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return err
	}

	keys, err := s.Keys.List(ctx)
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		log.WarnContext(ctx, "first key not created: there are keys already", "file", file)
		return nil
	}

	// The file comes first: a key whose token nobody has would be useless.
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			err = errors.Join(err, os.Remove(file))
		}
	}()

	token, key, err := s.Keys.Create(ctx, audit.By{Actor: audit.System}, apikey.Request{
		Name: "first key", Plan: "enterprise",
	})
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "first key created", "key", key.ID, "file", file)
	_, err = io.WriteString(out, token+"\n")

	return err
}
