package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/internal/matching"
)

// Credentials is the form of a sign-in.
type Credentials struct {
	Email, Password string
	Address         netip.Addr // of the client
	Browser         string     // the token that Browsers.Remember returned to this browser, or ""
	Agent           string     // browser and system, such as "Firefox on Linux"
}

// SignIns lets users in who prove who they are.
type SignIns struct {
	users    userRecords
	accounts accountRecords
	sessions *Sessions
	browsers Browsers
	verifier *Verifier
	throttle *throttle
	hasher   *hasher
	now      clock
	log      *slog.Logger
	observe  func(outcome matching.Code) // nil if nobody observes
}

// Observe calls f at the end of every sign-in with the code of its error, or "" for a success. Call it before the first
// sign-in.
func (s *SignIns) Observe(f func(outcome matching.Code)) { s.observe = f }

// ended reports the end of a sign-in. An error without a code is a fault of the server.
func (s *SignIns) ended(err error) {
	outcome := matching.CodeOf(err)
	if err != nil && outcome == "" {
		outcome = matching.CodeInternal
	}
	if s.observe != nil {
		s.observe(outcome)
	}
}

// SignIn returns the user with an email address and a password. If the user has a second factor, codeNeeded is true,
// and the caller must call EnterCode before it lets the user in.
//
// For an unknown address and for a wrong password, SignIn does the same work and returns the same CodeWrongCredentials.
// It returns CodeAccountDisabled only if the password is right, CodeTooManyAttempts, and matching.CodeOverloaded.
func (s *SignIns) SignIn(ctx context.Context, c Credentials) (u User, codeNeeded bool, err error) {
	defer func() {
		if !codeNeeded || err != nil { // otherwise EnterCode ends it
			s.ended(err)
		}
	}()

	email, err := ParseEmail(c.Email)
	if err != nil {
		email = "" // no user has it, so it is handled like any unknown address
	}

	// An unknown address has its password compared with a dummy hash, so that it takes as long as a known one.
	u, err = s.users.store.FindByEmail(ctx, email)
	isUnknown := errors.Is(err, ErrNotFound)
	switch {
	case isUnknown:
		u = User{Password: s.hasher.dummy}
	case err != nil:
		return User{}, false, fmt.Errorf("sign in: %w", err)
	}

	browserUser, err := s.browsers.user(ctx, c.Browser)
	if err != nil {
		return User{}, false, fmt.Errorf("sign in: %w", err)
	}

	hash, err := s.verifier.checkPassword(ctx, s.passwordAttempt(c, email, browserUser, u.ID), u, c.Password)
	if matching.CodeOf(err) == CodeWrongCredentials {
		reason := "wrong password"
		if isUnknown {
			reason = "no user has the email address"
		}
		return User{}, false, s.refuse(ctx, u, c.Address, reason, err)
	}

	if err != nil {
		return User{}, false, err
	}

	// Only a client that knows the password learns that the account is disabled.
	if _, err := s.accounts.findEnabled(ctx, u.Account); err != nil {
		return User{}, false, err
	}

	by := audit.By{Actor: u.ID, Address: c.Address.String(), Browser: c.Agent}
	u, err = s.record(ctx, u, hash, by, browserUser == u.ID)
	return u, u.TwoFactor.On(), err
}

// refuse records a failed sign-in of a user and returns the refusal, or the error of the record.
func (s *SignIns) refuse(ctx context.Context, u User, address netip.Addr, reason string, refusal error) error {
	s.log.InfoContext(ctx, "sign-in failed", "address", address.String())
	if err := s.throttle.record(ctx, u, address, reason); err != nil {
		return fmt.Errorf("record failed sign-in: %w", err)
	}
	return refusal
}

// record stores the hash of the password and, unless the user has to enter a code first, the time of the sign-in. It
// fails if the password was changed while the old one was being compared. If the database cannot be written,
// record logs it and succeeds: neither value is needed to let the user in. knownBrowser means that the user has signed
// in there before.
func (s *SignIns) record(ctx context.Context, u User, hash string, by audit.By, knownBrowser bool) (User, error) {
	if u.TwoFactor.On() && u.Password == hash {
		return u, nil
	}

	now := s.now()
	changed, err := s.users.update(ctx, u, nil, func(current *User) ([]audit.Event, error) {
		// A change of the password ends all sessions, so it shows here.
		if current.Sessions != u.Sessions {
			return nil, errWrongCredentials()
		}

		current.Password = hash
		if current.TwoFactor.On() {
			return nil, nil
		}

		current.LastSignIn = now
		return signInEvents(now, by, u, "", knownBrowser), nil
	})
	if matching.CodeOf(err).IsDatabaseFault() {
		s.log.WarnContext(ctx, "sign-in not recorded", "user", u.ID, "error", err)
		return u, nil
	}

	return changed, err
}

// signInEvents returns the entries of the audit log about a sign-in of by. how describes a recovery code; "" for none.
func signInEvents(now time.Time, by audit.By, u User, how string, knownBrowser bool) (events []audit.Event) {
	if how != "" {
		events = append(events, event(now, by, u.Account, audit.RecoveryUsed, u.ID, how))
	}
	if !knownBrowser {
		events = append(events, event(now, by, u.Account, audit.UserNewBrowser, u.ID, by.Browser))
	}
	return append(events, event(now, by, u.Account, audit.UserSignedIn, u.ID, how))
}

// A SecondStep is the form of the second step of a sign-in.
type SecondStep struct {
	User     string // id, from SignIn
	Sessions int    // User.Sessions, from SignIn
	Code     string // from the app, or a recovery code
	Address  netip.Addr
	Browser  string // the token that Browsers.Remember returned to this browser, or ""
	Agent    string // browser and system, such as "Firefox on Linux"
}

// EnterCode completes a sign-in with a code. Each code works once. It returns CodeWrongCode, CodeTooManyAttempts,
// CodeSessionEnded if the password has been changed since the first step, and CodeAccountDisabled.
func (s *SignIns) EnterCode(ctx context.Context, c SecondStep) (_ User, err error) {
	defer func() { s.ended(err) }()

	u, _, err := s.sessions.Find(ctx, c.User, c.Sessions)
	if err != nil {
		return User{}, err
	}

	browserUser, err := s.browsers.user(ctx, c.Browser)
	if err != nil {
		return User{}, fmt.Errorf("sign in: %w", err)
	}

	// The sign-in is stored together with the used code.
	by := audit.By{Actor: u.ID, Address: c.Address.String(), Browser: c.Agent}
	recordSignIn := func(u *User, how string) []audit.Event {
		u.LastSignIn = s.now()
		return signInEvents(u.LastSignIn, by, *u, how, browserUser == u.ID)
	}
	signedIn, err := s.verifier.useCode(ctx, s.codeAttempt(c, browserUser, u.ID), u, c.Code, recordSignIn)
	if matching.CodeOf(err) == CodeWrongCode {
		return User{}, s.refuse(ctx, u, c.Address, "wrong code after the right password", err)
	}

	return signedIn, err
}

// passwordAttempt returns the counters of a sign-in with a password. The user is the one with the email address, or
// zero.
func (s *SignIns) passwordAttempt(c Credentials, email, browserUser, userID string) attempt {
	if userID != "" && browserUser == userID {
		return s.browserAttempt(c.Browser, userID)
	}
	from := quota.AddressKey(c.Address)
	return attempt{client: from, counters: []limited{
		s.throttle.limits.Visitor.counter("visitor", from+" "+email),
		s.throttle.limits.Address.counter("address", from),
		s.throttle.limits.Email.counter("email", email),
	}}
}

// codeAttempt returns the counters of a second step.
func (s *SignIns) codeAttempt(c SecondStep, browserUser, userID string) attempt {
	if browserUser == userID {
		return s.browserAttempt(c.Browser, userID)
	}
	from := quota.AddressKey(c.Address)
	return attempt{client: from, counters: []limited{
		s.throttle.limits.Visitor.counter("code visitor", from+" "+userID),
		s.throttle.limits.Code.counter("code", userID),
	}}
}

// browserAttempt returns the counter of a browser in which the user has signed in before. It has no other, so that a
// stranger who guesses elsewhere can't lock the user out.
func (s *SignIns) browserAttempt(browser, userID string) attempt {
	return attempt{client: userID, known: true, counters: []limited{s.throttle.limits.Browser.counter("browser", browser)}}
}
