package account

import (
	"context"
	"fmt"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

// The plans of accounts that nobody chose one for.
const (
	signUpPlan = "freelancer"
	setUpPlan  = "enterprise"
)

// NewUser is who registers.
type NewUser struct {
	Email       string // "": that of the link
	Password    string // 10 to 200 characters
	AccountName string // of the account that is made with the user; unused where one is joined
	Secret      string // of a set-up link or an invitation; "" signs up where that is open
}

func errSignUpClosed(p SignUpPolicy) error {
	message := "nobody can sign up here; ask whoever runs this service"
	if p == ByInvitation {
		message = "one signs up here by an invitation; ask whoever runs this service for one"
	}
	return &matching.Error{Code: CodeSignUpClosed, Message: message}
}

// Register makes a user, and an account unless an invitation is to join one: by a set-up link the first administrator, on the
// plan enterprise; by an invitation what it says; without a link an owner on the plan freelancer. CodeInvalid with every fault,
// CodeLinkSpent, CodeSignUpClosed, CodeEmailTaken, CodeTooManyAttempts, CodeAccountDisabled. An actor in by is not needed: it
// is the new user.
func (s *Service) Register(ctx context.Context, by audit.By, n NewUser) (User, error) {
	terms, err := s.terms(ctx, n.Secret)
	if err != nil {
		return User{}, err
	}
	u, name, err := n.user(terms)
	if err != nil {
		return User{}, err
	}
	if terms.Purpose == "" {
		key := "sign-up " + networkOf(addressOf(by))
		if wait, blocked := s.throttles.SignUp.Blocked(key); blocked {
			return User{}, errTooManyAttempts(wait)
		}
		s.throttles.SignUp.Failed(key)
	}
	if terms.Purpose == Invitation {
		if err := s.free(ctx, by, u.Email); err != nil {
			return User{}, err
		}
	}
	leave, err := s.passwords.enter(ctx)
	if err != nil {
		return User{}, err
	}
	defer leave()
	u.Password = s.passwords.hash(n.Password)

	now := s.now()
	u.ID, u.Created = newID("usr_"), now
	by.Actor = u.ID
	r := Registration{User: u, First: terms.Purpose == SetUp}
	if terms.Purpose != "" {
		r.Link = &terms.Token
	}
	if u.Account == "" {
		r.Account = &Account{ID: newID("acc_"), Name: name, Plan: terms.Plan, PlanSince: now, Created: now}
		r.User.Account = r.Account.ID
		detail := fmt.Sprintf("%q, plan %s", name, terms.Plan)
		r.Events = append(r.Events, event(now, by, r.Account.ID, audit.AccountCreated, r.Account.ID, detail))
	}
	detail := fmt.Sprintf("%s, %s", u.Email, u.Role)
	r.Events = append(r.Events, event(now, by, r.User.Account, audit.UserCreated, u.ID, detail))
	if err := s.store.Register(ctx, r, now); err != nil {
		return User{}, expected(fmt.Errorf("register a user: %w", err))
	}
	return r.User, nil
}

// terms is what registering by a secret leads to: the link, completed with what its purpose means. Without a secret it is a
// link without a purpose.
func (s *Service) terms(ctx context.Context, secret string) (Link, error) {
	if secret == "" {
		return s.openTerms(ctx)
	}
	l, err := s.linkFor(ctx, secret, SetUp, Invitation)
	switch {
	case err != nil:
		return Link{}, err
	case l.Purpose == SetUp:
		l.Role, l.Plan = Administrator, setUpPlan
		return l, nil
	case s.signUp != Open && s.signUp != ByInvitation:
		return Link{}, errSignUpClosed(s.signUp)
	}
	if l.Account != "" {
		if _, err := s.enabled(ctx, l.Account); err != nil {
			return Link{}, err
		}
	}
	return l, nil
}

// openTerms is the terms of an open sign-up. There is none before the first user: whoever came first would use up the only
// chance to become administrator by the set-up link.
func (s *Service) openTerms(ctx context.Context) (Link, error) {
	if s.signUp != Open {
		return Link{}, errSignUpClosed(s.signUp)
	}
	any, err := s.store.HasUsers(ctx)
	if err != nil {
		return Link{}, fmt.Errorf("look for users: %w", err)
	}
	if !any {
		return Link{}, &matching.Error{
			Code:    CodeSignUpClosed,
			Message: "the service is not set up yet; whoever runs it opens the set-up link that the server has printed",
		}
	}
	return Link{Plan: signUpPlan, Role: Owner}, nil
}

// user is the user that n and the terms make together, without id and password, and the name of the account to make. CodeInvalid
// with every fault.
func (n NewUser) user(terms Link) (u User, accountName string, err error) {
	var faults []matching.FieldError
	if n.Email == "" {
		n.Email = terms.Email
	}
	u = User{Account: terms.Account, Role: terms.Role}
	u.Email, err = ParseEmail(n.Email)
	switch {
	case err != nil:
		faults = append(faults, fault("email", "invalid", err.Error()))
	case terms.Email != "" && u.Email != terms.Email:
		faults = append(faults, fault("email", "not_invited", "email must be the address that the link is for"))
	}
	faults = append(faults, checkPassword(n.Password, u.Email)...)
	if terms.Account == "" {
		if accountName, err = apikey.ParseName(n.AccountName); err != nil {
			faults = append(faults, fault("account_name", "invalid", "account "+err.Error()))
		}
	}
	return u, accountName, matching.Invalid(faults)
}
