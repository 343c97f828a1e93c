package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"
)

// browserTime is how long a browser is known after a sign-in, and maxBrowsers how many are known per user.
const (
	browserTime = 180 * 24 * time.Hour
	maxBrowsers = 20
)

// Browsers knows in which browsers users have signed in.
type Browsers struct {
	store BrowserStore
	now   clock
}

// user returns the user who has signed in before in the browser with a token, or "".
func (s Browsers) user(ctx context.Context, token string) (userID string, err error) {
	if token == "" {
		return "", nil
	}
	userID, err = s.store.User(ctx, tokenOf(token), s.now())
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return userID, err
}

// Remember returns a token for a browser in which a user has just signed in. With it, further sign-ins there count for
// themselves, see Limits. It replaces the browser's previous token, if there is one.
func (s Browsers) Remember(ctx context.Context, userID, previous string) (token string, err error) {
	token = rand.Text()
	now := s.now()
	b := Browser{Token: tokenOf(token), User: userID, Created: now, Expires: now.Add(browserTime)}
	if err := s.store.Insert(ctx, b, maxBrowsers); err != nil {
		return "", fmt.Errorf("remember browser: %w", err)
	}
	if previous != "" {
		if err := s.store.Delete(ctx, tokenOf(previous)); err != nil {
			return "", fmt.Errorf("forget previous token of browser: %w", err)
		}
	}
	return token, nil
}
