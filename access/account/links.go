package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/internal/matching"
)

// A Purpose says what a link is for.
type Purpose string

// The purposes.
const (
	SetUp      Purpose = "setup"      // register the first administrator
	Invitation Purpose = "invitation" // join an account or create one
	Reset      Purpose = "reset"      // choose a new password
)

// A Token is the SHA-256 of a link's secret, the only form in which the secret is stored.
type Token [sha256.Size]byte

// A Link is a one-time link. It ends when it is used, revoked, replaced or expired, or when the user who created it is
// removed or gets a lower role.
type Link struct {
	ID        string // "lnk_" and 12 characters
	Token     Token
	Purpose   Purpose
	Email     string // the only address that can use it; "": any
	Account   string // of an invitation: the account to join, or "" to create one; of a reset: the user's account
	Plan      string // of an invitation that creates an account
	Role      Role   // of an invitation
	User      string // of a reset: the user's id
	CreatedBy string // as audit.Event.Actor
	Created   time.Time
	Expires   time.Time
}

// URL returns the address of the page that uses a link. The base is scheme and host, such as https://match.example.com.
// The secret is in the fragment, which browsers do not send, so it appears in no log of a server or proxy.
func URL(base string, p Purpose, secret string) string {
	page := map[Purpose]string{SetUp: "setup", Invitation: "join", Reset: "reset"}[p]
	return strings.TrimSuffix(base, "/") + "/dashboard/" + page + "#" + secret
}

const secretLen = 32 // bytes

// lifetime returns how long a link is valid.
func (p Purpose) lifetime() time.Duration {
	if p == Invitation {
		return 7 * 24 * time.Hour
	}
	return 24 * time.Hour
}

func tokenOf(secret string) Token { return sha256.Sum256([]byte(secret)) }

// Links creates and revokes links.
type Links struct {
	store    LinkStore
	users    userRecords
	accounts accountRecords
	throttle *throttle
	signUp   SignUpPolicy
	now      clock
}

// create stores a link and returns it with its secret, which is available only here.
func (s *Links) create(ctx context.Context, by audit.By, l Link) (secret string, created Link, err error) {
	now := s.now()
	random := make([]byte, secretLen)
	_, _ = rand.Read(random) // never fails
	secret = base64.RawURLEncoding.EncodeToString(random)
	l.ID, l.Token, l.CreatedBy = newID("lnk_"), tokenOf(secret), by.Actor
	l.Created, l.Expires = now, now.Add(l.Purpose.lifetime())
	e := event(now, by, l.Account, audit.LinkMade, l.ID, l.describe())
	if by.Actor == audit.CommandLine || by.Actor == audit.System {
		err = s.store.Insert(ctx, l, e)
	} else {
		err = s.insertByUser(ctx, l, e)
	}
	if err != nil {
		return "", Link{}, withCode(fmt.Errorf("create link: %w", err))
	}
	return secret, l, nil
}

// insertByUser stores a link created by a user, while no users of that user's account change. So a user who is removed
// or loses the role meanwhile leaves no link behind. It returns CodeNotAllowed if the user's role does not permit it.
func (s *Links) insertByUser(ctx context.Context, l Link, e audit.Event) error {
	notAllowed := &matching.Error{
		Code: CodeNotAllowed, Message: "Your role no longer permits this. Ask an owner of the account.",
	}
	creator, err := s.users.store.Find(ctx, l.CreatedBy)
	if errors.Is(err, ErrNotFound) {
		return notAllowed
	}
	if err != nil {
		return err
	}
	return s.users.store.Update(ctx, creator.Account, nil, e.At, func(users []User, _ []apikey.Key) (UserChanges, error) {
		allowed := func(u User) bool { return u.ID == creator.ID && u.Role.Includes(l.creatorRole()) }
		if !slices.ContainsFunc(users, allowed) {
			return UserChanges{}, notAllowed
		}
		return UserChanges{NewLinks: []Link{l}, Events: []audit.Event{e}}, nil
	})
}

// creatorRole returns the role a user needs to create the link.
func (l Link) creatorRole() Role {
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

// NeedsSetUp reports whether there are no users yet, so that nobody can sign in.
func (s *Links) NeedsSetUp(ctx context.Context) (bool, error) {
	hasUsers, err := s.users.store.Exist(ctx)
	return err == nil && !hasUsers, err
}

// CreateSetUp returns the secret of a new link that registers the first administrator, or "" if there are users
// already. The new link replaces the previous one: if several servers start on one empty database, only the last link
// works.
func (s *Links) CreateSetUp(ctx context.Context) (secret string, err error) {
	needed, err := s.NeedsSetUp(ctx)
	if err != nil {
		return "", fmt.Errorf("create set-up link: %w", err)
	}
	if !needed {
		return "", nil
	}
	secret, _, err = s.create(ctx, audit.By{Actor: audit.System}, Link{Purpose: SetUp})
	return secret, err
}

// CreateReset creates a link with which a user can choose a new password. It replaces the user's previous reset
// link. It returns CodeNotAllowed or CodeNotFound.
func (s *Links) CreateReset(ctx context.Context, by audit.By, userID string) (secret string, l Link, err error) {
	u, err := s.users.find(ctx, userID)
	if err != nil {
		return "", Link{}, err
	}
	return s.create(ctx, by, Link{Purpose: Reset, Account: u.Account, Email: u.Email, User: u.ID})
}

// Find returns the link with a secret, or CodeLinkSpent if it can no longer be used.
func (s *Links) Find(ctx context.Context, secret string) (Link, error) {
	l, err := s.store.Find(ctx, tokenOf(secret), s.now())
	if err != nil {
		return Link{}, withCode(fmt.Errorf("read link: %w", err))
	}
	return l, nil
}

// findFor returns the link with a secret if it has one of the purposes, and CodeLinkSpent otherwise.
func (s *Links) findFor(ctx context.Context, secret string, purposes ...Purpose) (Link, error) {
	l, err := s.Find(ctx, secret)
	if err == nil && !slices.Contains(purposes, l.Purpose) {
		err = withCode(ErrLinkSpent)
	}
	if err != nil {
		return Link{}, err
	}
	return l, nil
}

// An Invite describes an invitation.
type Invite struct {
	Email   string // the only address that can use it; "": any
	Account string // id of the account to join; "": a new one
	Plan    string // of the new account
	Role    Role   // default: Member in an existing account, Owner in a new one
}

// Invite creates an invitation. It returns CodeInvalid with all faults, CodeSignUpClosed, CodeEmailTaken,
// CodeTooManyAttempts, CodeNotAllowed or CodeNotFound.
func (s *Links) Invite(ctx context.Context, by audit.By, i Invite) (secret string, l Link, err error) {
	if s.signUp != Open && s.signUp != ByInvitation {
		return "", Link{}, errSignUpClosed(s.signUp)
	}

	l, err = i.link()
	if err != nil {
		return "", Link{}, err
	}

	joinsAccount := l.Account != ""
	if joinsAccount {
		if _, err := s.accounts.findEnabled(ctx, l.Account); err != nil {
			return "", Link{}, err
		}
	}

	// The answer may reveal who has an account, so answers that do are limited.
	if l.Email != "" {
		if err := s.checkInvitable(ctx, by, l); err != nil {
			return "", Link{}, err
		}
	}

	return s.create(ctx, by, l)
}

// link returns the link of an invitation, with the default role and the canonical name of the plan. It returns
// CodeInvalid with all faults.
func (i Invite) link() (l Link, err error) {
	l = Link{Purpose: Invitation, Account: i.Account, Plan: i.Plan, Role: i.Role}
	faults := l.normalizeInvitation()
	if i.Email != "" {
		if l.Email, err = ParseEmail(i.Email); err != nil {
			faults = append(faults, fieldError("email", "invalid", err.Error()))
		}
	}
	return l, matching.Invalid(faults)
}

// checkInvitable returns CodeEmailTaken if a user has the email address of an invitation. Only to the account's own
// people does it say that the user is a member.
func (s *Links) checkInvitable(ctx context.Context, by audit.By, l Link) error {
	err := s.checkEmailFree(ctx, by, l.Email)
	if matching.CodeOf(err) != CodeEmailTaken {
		return err
	}
	message := "A user of this service has this email address. Invite another address."
	if u, err := s.users.store.FindByEmail(ctx, l.Email); err == nil && l.Account != "" && u.Account == l.Account {
		message = "The user " + l.Email + " is already a member of this account."
	}
	return &matching.Error{
		Code: CodeEmailTaken, Message: message, Cause: ErrEmailTaken,
		Details: []matching.FieldError{fieldError("email", "taken", message)},
	}
}

// normalizeInvitation sets the default role and the canonical name of the plan, and returns the faults of an
// invitation.
func (l *Link) normalizeInvitation() []matching.FieldError {
	if l.Account != "" {
		return l.normalizeJoining()
	}

	// Somebody has to manage the new account, so its first user can't be a member.
	var faults []matching.FieldError
	switch {
	case l.Role == "":
		l.Role = Owner
	case !l.Role.Includes(Member):
		faults = append(faults, invalidRole(l.Role))
	case l.Role == Member:
		faults = append(faults, fieldError("role", "not_applicable", "role must be owner or administrator in a new account"))
	}

	plan, known := apikey.PlanNamed(l.Plan)
	if !known {
		faults = append(faults, apikey.UnknownPlan(l.Plan))
	}

	l.Plan = plan.Name

	return faults
}

// normalizeJoining sets the default role of an invitation to an existing account, and returns its faults.
func (l *Link) normalizeJoining() (faults []matching.FieldError) {
	if l.Role == "" {
		l.Role = Member
	} else if !l.Role.Includes(Member) {
		faults = append(faults, invalidRole(l.Role))
	}

	// A user who joins an account gets its plan.
	if l.Plan != "" {
		faults = append(faults, fieldError("plan", "not_applicable",
			"plan applies to new accounts only; omit it to invite someone to an existing account"))
	}

	return faults
}

// checkEmailFree returns CodeEmailTaken if a user has an email address. Owners may invite any address, and some
// invitations can be used with any, so the number of taken addresses that a client may try is limited: otherwise
// clients could find out who uses the service.
func (s *Links) checkEmailFree(ctx context.Context, by audit.By, email string) error {
	taken := s.throttle.limits.Taken.counter("taken", quota.AddressKey(addressOf(by)))
	if err := s.throttle.blocked(ctx, taken); err != nil {
		return err
	}
	_, err := s.users.store.FindByEmail(ctx, email)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look up invited user: %w", err)
	}
	if err := s.throttle.count(ctx, taken); err != nil {
		return err
	}
	return withCode(ErrEmailTaken)
}

// List returns an account's valid links, newest first; for "", those of all accounts.
func (s *Links) List(ctx context.Context, account string) ([]Link, error) {
	links, err := s.store.List(ctx, account, s.now())
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	return links, nil
}

// Revoke revokes a link of an account; for "", of any account. It returns CodeNotFound if there is no such link.
func (s *Links) Revoke(ctx context.Context, by audit.By, account, id string) error {
	links, err := s.List(ctx, account)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(links, func(l Link) bool { return l.ID == id })
	if i < 0 {
		return withCode(ErrNotFound)
	}
	l := links[i]
	err = s.store.Delete(ctx, id, event(s.now(), by, l.Account, audit.LinkRevoked, l.ID, l.describe()))
	if err != nil {
		return withCode(fmt.Errorf("revoke link %q: %w", id, err))
	}
	return nil
}
