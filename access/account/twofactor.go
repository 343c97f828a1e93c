package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// The format of one-time codes is the one that every app supports: RFC 6238 with SHA-1.
const (
	codeDigits = otp.DigitsSix
	codePeriod = 30 // seconds in which a code is shown
	// codeSkew is how many periods the clock of a phone may be ahead or behind.
	codeSkew = 1
)

// The recovery codes of a user. Each has 80 random bits, so a fast hash protects it.
const (
	recoveryCodes   = 10
	recoveryCodeLen = 16 // letters and digits, in groups of 4
)

func errWrongCode() error {
	return &matching.Error{
		Code:    CodeWrongCode,
		Message: "The code is wrong, or was used before. Enter the code that your app shows now, or a recovery code.",
	}
}

// An Enrollment is a new second factor that the user has not confirmed yet.
type Enrollment struct {
	Secret string // in base32, to type into an app
	URL    string // otpauth://…, for a QR code
}

// NewEnrollment returns a new secret. The issuer is the name under which an app shows it.
func NewEnrollment(issuer, email string) (Enrollment, error) {
	key, err := totp.Generate(totp.GenerateOpts{
		Issuer: issuer, AccountName: email, Digits: codeDigits, Period: codePeriod,
	})
	if err != nil {
		return Enrollment{}, fmt.Errorf("create second factor: %w", err)
	}
	return Enrollment{Secret: key.Secret(), URL: key.URL()}, nil
}

// SecondFactors sets up and removes the second factors of users.
type SecondFactors struct {
	users userRecords
	now   clock
}

// Enable makes sign-ins of a user require a code, and returns the recovery codes, which are available only here. The
// code proves that the user's app has the secret. It replaces a previous second factor. A wrong code is CodeWrongCode.
func (s *SecondFactors) Enable(
	ctx context.Context, by audit.By, userID, secret, code string,
) (recovery []string, err error) {
	u, err := s.users.find(ctx, userID)
	if err != nil {
		return nil, err
	}

	now := s.now()
	step, ok := matchingStep(secret, code, now, 0)
	if secret == "" || !ok {
		return nil, &matching.Error{
			Code: CodeWrongCode, Message: "The code is wrong. Enter the code that your app shows now.",
		}
	}

	// Only hashes are stored: who reads the database can't sign in with them.
	recovery, hashes := newRecoveryCodes()
	_, err = s.users.update(ctx, u, nil, func(u *User) ([]audit.Event, error) {
		u.TwoFactor = TwoFactor{Secret: secret, Since: now, LastStep: step, Recovery: hashes}
		return []audit.Event{event(now, by, u.Account, audit.TwoFactorOn, u.ID, u.Email)}, nil
	})
	if err != nil {
		return nil, err
	}

	return recovery, nil
}

// NewRecoveryCodes replaces the recovery codes of a user with a second factor. They are available only here.
func (s *SecondFactors) NewRecoveryCodes(
	ctx context.Context, by audit.By, userID string,
) (recovery []string, err error) {
	u, err := s.users.find(ctx, userID)
	if err != nil {
		return nil, err
	}
	recovery, hashes := newRecoveryCodes()
	_, err = s.users.update(ctx, u, nil, func(u *User) ([]audit.Event, error) {
		if !u.TwoFactor.On() {
			return nil, ErrNotFound
		}
		u.TwoFactor.Recovery = hashes
		return []audit.Event{event(s.now(), by, u.Account, audit.RecoveryChanged, u.ID, u.Email)}, nil
	})
	if err != nil {
		return nil, err
	}
	return recovery, nil
}

// Disable removes the second factor of a user, if there is one.
func (s *SecondFactors) Disable(ctx context.Context, by audit.By, userID string) error {
	return s.remove(ctx, by, userID, func(*User) {})
}

// Reset removes the second factor of a user who has lost it, and ends all sessions, because somebody else may have the
// device and a session on it.
func (s *SecondFactors) Reset(ctx context.Context, by audit.By, userID string) error {
	return s.remove(ctx, by, userID, func(u *User) { u.Sessions++ })
}

func (s *SecondFactors) remove(ctx context.Context, by audit.By, userID string, change func(*User)) error {
	u, err := s.users.find(ctx, userID)
	if err != nil {
		return err
	}
	_, err = s.users.update(ctx, u, nil, func(u *User) ([]audit.Event, error) {
		change(u)
		if !u.TwoFactor.On() {
			return nil, nil
		}
		u.TwoFactor = TwoFactor{}
		return []audit.Event{event(s.now(), by, u.Account, audit.TwoFactorOff, u.ID, u.Email)}, nil
	})
	return err
}

// use marks a code as used, and reports whether it was valid. For a recovery code, how describes it.
func (t *TwoFactor) use(code string, now time.Time) (how string, ok bool) {
	if !t.On() {
		return "", false
	}
	if step, ok := matchingStep(t.Secret, code, now, t.LastStep); ok {
		t.LastStep = step
		return "", true
	}
	i := slices.Index(t.Recovery, hashRecoveryCode(code))
	if i < 0 {
		return "", false
	}
	t.Recovery = slices.Delete(slices.Clone(t.Recovery), i, i+1)
	return fmt.Sprintf("with a recovery code, %d left", len(t.Recovery)), true
}

// matchingStep returns the period that a code belongs to, if it is near the current one and later than last, the one of
// the last code that was used.
func matchingStep(secret, code string, now time.Time, last int64) (step int64, ok bool) {
	code = strings.ReplaceAll(strings.TrimSpace(code), " ", "")
	options := hotp.ValidateOpts{Digits: codeDigits, Algorithm: otp.AlgorithmSHA1}
	current := now.Unix() / codePeriod
	if last > current+codeSkew {
		last = 0 // the clock was ahead then, and must not keep the user out until it gets there again
	}
	for step := current - codeSkew; step <= current+codeSkew; step++ {
		if step <= last || step < 0 {
			continue
		}
		if ok, err := hotp.ValidateCustom(code, uint64(step), secret, options); ok && err == nil {
			return step, true
		}
	}
	return 0, false
}

// newRecoveryCodes returns new codes and their hashes.
func newRecoveryCodes() (codes, hashes []string) {
	for range recoveryCodes {
		text := strings.ToLower(rand.Text()[:recoveryCodeLen])
		var groups []string
		for group := range slices.Chunk([]byte(text), 4) {
			groups = append(groups, string(group))
		}
		code := strings.Join(groups, "-")
		codes = append(codes, code)
		hashes = append(hashes, hashRecoveryCode(code))
	}
	return codes, hashes
}

// hashRecoveryCode returns the form in which a recovery code is stored, however its letters and groups were typed.
func hashRecoveryCode(code string) string {
	code = strings.NewReplacer("-", "", " ", "").Replace(strings.ToLower(strings.TrimSpace(code)))
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}
