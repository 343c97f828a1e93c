package account

import (
	"context"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/internal/matching"
)

// A SignUpPolicy says who may register. The first administrator always registers with the set-up link.
type SignUpPolicy string

// The policies.
const (
	Open         SignUpPolicy = "open"       // anyone, with a new account on the plan freelancer
	ByInvitation SignUpPolicy = "invitation" // people with an invitation
	Closed       SignUpPolicy = "closed"     // nobody; invitations can be neither created nor used
)

// The plans of accounts that are created without an invitation.
const (
	signUpPlan = "freelancer"
	setUpPlan  = "enterprise"
)

// A NewUser holds the form of a registration.
type NewUser struct {
	Email       string // default: the address that the link is for
	Password    string // at least MinPasswordLen characters, and not a common one
	AccountName string // of the new account; ignored if the user joins one
	Secret      string // of a set-up link or an invitation; "": sign up without a link
}

func errSignUpClosed(p SignUpPolicy) error {
	message := "Sign-up is closed. Ask the operator of this service."
	if p == ByInvitation {
		message = "You need an invitation to sign up. Ask the operator of this service for one."
	}
	return &matching.Error{Code: CodeSignUpClosed, Message: message}
}

// SignUps registers users.
type SignUps struct {
	users    userRecords
	accounts accountRecords
	links    *Links
	throttle *throttle
	hasher   *hasher
	rules    passwordRules
	policy   SignUpPolicy
	now      clock
}

// Register creates a user, and an account unless the user joins one. A set-up link registers the first administrator,
// on the plan enterprise. An invitation determines account, role and plan. Without a link, the user becomes the owner
// of a new account on the plan freelancer.
//
// The audit log names the new user as the actor, whatever by.Actor is. Register returns CodeInvalid with all faults,
// CodeLinkSpent, CodeSignUpClosed, CodeEmailTaken, CodeTooManyAttempts or CodeAccountDisabled.
func (s *SignUps) Register(ctx context.Context, by audit.By, n NewUser) (User, error) {
	l, err := s.link(ctx, n.Secret)
	if err != nil {
		return User{}, err
	}

	u, accountName, err := s.parseUser(n, l)
	if err != nil {
		return User{}, err
	}

	// Open sign-ups are limited by address. A link is proof enough.
	if l.Purpose == "" {
		if err := s.countSignUp(ctx, by); err != nil {
			return User{}, err
		}
	}
	if l.Purpose == Invitation {
		if err := s.links.checkEmailFree(ctx, by, u.Email); err != nil {
			return User{}, err
		}
	}

	// Hashing takes 19 MiB and a core, so only a few run at a time.
	leave, err := s.hasher.enter(ctx, quota.AddressKey(addressOf(by)), false)
	if err != nil {
		return User{}, err
	}
	defer leave()

	u.Password = s.hasher.hash(n.Password)

	now := s.now()
	r := newRegistration(now, by, l, u, accountName)
	if err := s.users.store.Register(ctx, r, now); err != nil {
		return User{}, withCode(fmt.Errorf("register user: %w", err))
	}

	return r.User, nil
}

// countSignUp counts an open sign-up of an address. It returns CodeTooManyAttempts if there were too many.
func (s *SignUps) countSignUp(ctx context.Context, by audit.By) error {
	signUps := s.throttle.limits.SignUp.counter("sign-up", quota.AddressKey(addressOf(by)))
	if err := s.throttle.blocked(ctx, signUps); err != nil {
		return err
	}
	return s.throttle.count(ctx, signUps)
}

// newRegistration returns what to store for a user who registers with a link. The user gets an ID, and a new account
// with the given name unless the link is for an existing one.
func newRegistration(now time.Time, by audit.By, l Link, u User, accountName string) Registration {
	u.ID = newID("usr_")
	u.Created = now
	u.LastSignIn = now // registering signs the user in
	by.Actor = u.ID

	r := Registration{First: l.Purpose == SetUp}
	if l.Purpose != "" {
		r.Link = &l.Token // is spent with the registration
	}

	if u.Account == "" {
		u.Account = newID("acc_")
		r.Account = &Account{ID: u.Account, Name: accountName, Plan: l.Plan, PlanSince: now, Created: now}
		detail := fmt.Sprintf("%q, plan %s", accountName, l.Plan)
		r.Events = append(r.Events, event(now, by, u.Account, audit.AccountCreated, u.Account, detail))
	}

	detail := fmt.Sprintf("%s, %s", u.Email, u.Role)
	r.Events = append(r.Events, event(now, by, u.Account, audit.UserCreated, u.ID, detail))
	r.User = u

	return r
}

// link returns the link with a secret, with the role and the plan that its purpose implies. Without a secret, it
// returns a link without a purpose, which has the role and the plan of an open sign-up.
func (s *SignUps) link(ctx context.Context, secret string) (Link, error) {
	if secret == "" {
		return s.openSignUp(ctx)
	}

	l, err := s.links.findFor(ctx, secret, SetUp, Invitation)
	switch {
	case err != nil:
		return Link{}, err
	case l.Purpose == SetUp:
		l.Role = Administrator
		l.Plan = setUpPlan
		return l, nil

	// The operator may have closed sign-ups after the invitation was sent.
	case s.policy != Open && s.policy != ByInvitation:
		return Link{}, errSignUpClosed(s.policy)
	}

	if l.Account != "" {
		if _, err := s.accounts.findEnabled(ctx, l.Account); err != nil {
			return Link{}, err
		}
	}

	return l, nil
}

// openSignUp returns the role and the plan of an open sign-up. It fails while there are no users: the set-up link only
// registers the first one, so a stranger who signs up first would leave the service without an administrator.
func (s *SignUps) openSignUp(ctx context.Context) (Link, error) {
	if s.policy != Open {
		return Link{}, errSignUpClosed(s.policy)
	}
	hasUsers, err := s.users.store.Exist(ctx)
	if err != nil {
		return Link{}, fmt.Errorf("look for users: %w", err)
	}
	if !hasUsers {
		return Link{}, &matching.Error{
			Code:    CodeSignUpClosed,
			Message: "The service is not set up yet. Its operator must open the set-up link that the server printed.",
		}
	}
	return Link{Plan: signUpPlan, Role: Owner}, nil
}

// parseUser returns the user to register, without id and password, and the name of the account to create. It returns
// CodeInvalid with all faults of the form.
func (s *SignUps) parseUser(n NewUser, l Link) (u User, accountName string, err error) {
	var faults []matching.FieldError
	if n.Email == "" {
		n.Email = l.Email
	}

	// An invitation to an address is for that address only.
	u = User{Account: l.Account, Role: l.Role}
	u.Email, err = ParseEmail(n.Email)
	switch {
	case err != nil:
		faults = append(faults, fieldError("email", "invalid", err.Error()))
	case l.Email != "" && u.Email != l.Email:
		faults = append(faults, fieldError("email", "not_invited", "email must be the address that the link is for"))
	}

	faults = append(faults, s.rules.check(n.Password, u.Email)...)
	if l.Account == "" {
		if accountName, err = apikey.ParseName(n.AccountName); err != nil {
			faults = append(faults, fieldError("account_name", "invalid", "account "+err.Error()))
		}
	}

	return u, accountName, matching.Invalid(faults)
}
