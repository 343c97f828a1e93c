package account

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

const secretLen = 32 // random bytes

// lifetime is how long a link can be used.
func (p Purpose) lifetime() time.Duration {
	if p == Invitation {
		return 7 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// tokenOf is what is stored of a secret.
func tokenOf(secret string) Token { return sha256.Sum256([]byte(secret)) }

// makeLink stores a link for a purpose and is its secret, which is seen this once.
func (s *Service) makeLink(ctx context.Context, by audit.By, l Link) (secret string, made Link, err error) {
	now := s.now()
	secret = base64.RawURLEncoding.EncodeToString(random(secretLen))
	l.ID, l.Token, l.Created, l.Expires = newID("lnk_"), tokenOf(secret), now, now.Add(l.Purpose.lifetime())
	l.MadeBy = by.Actor
	e := event(now, by, l.Account, audit.LinkMade, l.ID, l.describe())
	if by.Actor == audit.CommandLine || by.Actor == audit.System {
		err = s.store.InsertLink(ctx, l, e)
	} else {
		err = s.keepUserLink(ctx, l, e)
	}
	if err != nil {
		return "", Link{}, expected(fmt.Errorf("make a link: %w", err))
	}
	return secret, l, nil
}

// keepUserLink stores a link that a user has made, while no users of his account change: whoever is removed or loses the role
// meanwhile leaves no link behind. CodeNotAllowed.
func (s *Service) keepUserLink(ctx context.Context, l Link, e audit.Event) error {
	refused := &matching.Error{Code: CodeNotAllowed, Message: "your role does not include this any more; ask an owner of the account"}
	maker, err := s.store.User(ctx, l.MadeBy)
	if errors.Is(err, ErrNotFound) {
		return refused
	}
	if err != nil {
		return err
	}
	return s.store.UpdateUsers(ctx, maker.Account, nil, e.At, func(users []User, _ []apikey.Key) (UserChanges, error) {
		may := func(u User) bool { return u.ID == maker.ID && u.Role.Includes(l.takes()) }
		if !slices.ContainsFunc(users, may) {
			return UserChanges{}, refused
		}
		return UserChanges{Made: []Link{l}, Events: []audit.Event{e}}, nil
	})
}

// takes is the role that it takes to make the link.
func (l Link) takes() Role {
	if l.Purpose == Invitation && l.Account != "" && l.Role != Administrator {
		return Owner
	}
	return Administrator
}

func (l Link) describe() string {
	text := string(l.Purpose)
	if l.Email != "" {
		text += " for " + l.Email
	}
	if l.Role != "" {
		text += " as " + string(l.Role)
	}
	if l.Plan != "" {
		text += ", plan " + l.Plan
	}
	return text
}

// SetUpLink is the secret of a new link with which the first administrator registers, "" once there is any user. It takes the
// place of the one before, so of several servers that start at the same time on one empty database the last one's holds.
func (s *Service) SetUpLink(ctx context.Context) (secret string, err error) {
	any, err := s.store.HasUsers(ctx)
	if err != nil {
		return "", fmt.Errorf("make a set-up link: %w", err)
	}
	if any {
		return "", nil
	}
	secret, _, err = s.makeLink(ctx, audit.By{Actor: audit.System}, Link{Purpose: SetUp})
	return secret, err
}

// LinkOf is the link with a secret, to show what it is for. CodeLinkSpent.
func (s *Service) LinkOf(ctx context.Context, secret string) (Link, error) {
	l, err := s.store.Link(ctx, tokenOf(secret), s.now())
	if err != nil {
		return Link{}, expected(fmt.Errorf("read a link: %w", err))
	}
	return l, nil
}

// linkFor is the link with a secret, for one of some purposes.
func (s *Service) linkFor(ctx context.Context, secret string, purposes ...Purpose) (Link, error) {
	l, err := s.LinkOf(ctx, secret)
	if err == nil && !slices.Contains(purposes, l.Purpose) {
		err = expected(ErrLinkSpent)
	}
	if err != nil {
		return Link{}, err
	}
	return l, nil
}

// Invite is whom an invitation is for.
type Invite struct {
	Email   string // the only address that can use it; "": any
	Account string // id of the account to join; "": a new one
	Plan    string // of the new account
	Role    Role   // "": member of an account that is there, owner of a new one
}

// Invite makes an invitation. CodeInvalid with every fault, CodeSignUpClosed, CodeEmailTaken, CodeTooManyAttempts, CodeNotAllowed,
// CodeNotFound. It ends when the user who made it is removed, or gets a lower role.
func (s *Service) Invite(ctx context.Context, by audit.By, i Invite) (secret string, l Link, err error) {
	if s.signUp != Open && s.signUp != ByInvitation {
		return "", Link{}, errSignUpClosed(s.signUp)
	}
	l = Link{Purpose: Invitation, Account: i.Account, Plan: i.Plan, Role: i.Role}
	if l.Role == "" {
		l.Role = Member
		if l.Account == "" {
			l.Role = Owner
		}
	}
	faults := l.complete()
	if i.Email != "" {
		if l.Email, err = ParseEmail(i.Email); err != nil {
			faults = append(faults, fault("email", "invalid", err.Error()))
		}
	}
	if err := matching.Invalid(faults); err != nil {
		return "", Link{}, err
	}
	if l.Account != "" {
		if _, err := s.enabled(ctx, l.Account); err != nil {
			return "", Link{}, err
		}
	}
	if l.Email != "" {
		if err := s.free(ctx, by, l.Email); err != nil {
			return "", Link{}, err
		}
	}
	return s.makeLink(ctx, by, l)
}

// free makes sure that an e-mail address has no user yet. Owners invite whom they like, and an invitation may be for any address:
// so that nobody finds out by them who uses the service, only so many may meet a taken one.
func (s *Service) free(ctx context.Context, by audit.By, email string) error {
	key := networkOf(addressOf(by))
	if wait, blocked := s.throttles.Taken.Blocked(key); blocked {
		return errTooManyAttempts(wait)
	}
	_, err := s.store.UserByEmail(ctx, email)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for an invited user: %w", err)
	}
	s.throttles.Taken.Failed(key)
	return expected(ErrEmailTaken)
}

// complete writes the plan of an invitation in its one form, and tells what does not go together.
func (l *Link) complete() (faults []matching.FieldError) {
	if !l.Role.Includes(Member) {
		faults = append(faults, fault("role", "unknown", fmt.Sprintf("role must be member, owner or administrator, got %q", l.Role)))
	}
	if l.Account != "" {
		if l.Plan != "" {
			faults = append(faults, fault("plan", "not_applicable", "plan is of a new account; leave it out to invite into one that is there"))
		}
		return faults
	}
	if l.Role == Member {
		faults = append(faults, fault("role", "not_applicable", "role must be owner or administrator in a new account"))
	}
	plan, known := apikey.PlanNamed(l.Plan)
	if !known {
		faults = append(faults, unknownPlan(l.Plan))
	}
	l.Plan = plan.Name
	return faults
}

func unknownPlan(name string) matching.FieldError {
	return fault("plan", "unknown", fmt.Sprintf("plan must be freelancer, professional or enterprise, got %q", name))
}

// Links is the links that can be used now, newest first: those of an account, or all with "".
func (s *Service) Links(ctx context.Context, account string) ([]Link, error) {
	links, err := s.store.Links(ctx, account, s.now())
	if err != nil {
		return nil, fmt.Errorf("list the links: %w", err)
	}
	return links, nil
}

// RevokeLink ends a link of an account; of any with "". CodeNotFound.
func (s *Service) RevokeLink(ctx context.Context, by audit.By, account, id string) error {
	links, err := s.Links(ctx, account)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(links, func(l Link) bool { return l.ID == id })
	if i < 0 {
		return expected(ErrNotFound)
	}
	l := links[i]
	err = s.store.DeleteLink(ctx, id, event(s.now(), by, l.Account, audit.LinkRevoked, l.ID, l.describe()))
	if err != nil {
		return expected(fmt.Errorf("revoke link %q: %w", id, err))
	}
	return nil
}
