package storetest

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/sealed"
	"github.com/freelancer-matching/service/store/storetest/interviewtest"
	"github.com/freelancer-matching/service/webhook"
)

// Secrets tests the encryption of the secrets of second factors and webhooks.
func Secrets(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[*store.DB]{
		"secrets are encrypted and read":           readsSealedSecrets,
		"earlier secrets are encrypted again":      resealsSecrets,
		"without the key, only secrets are lost":   keepsUnreadableSecrets,
		"without keys, secrets are stored as ever": storesPlainSecrets,
	}.run(t, open)
}

// The keys are 32 bytes of one letter, in base64.
const (
	firstKey  = "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE="
	secondKey = "YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmI="
)

const totpSecret = "JBSWY3DPEHPK3PXP" //nolint:gosec // G101: the example of a key, not one in use

// storeSecrets stores a user with a second factor, and a session with a webhook.
func storeSecrets(t *testing.T, db *store.DB) {
	t.Helper()
	acc, user := testAccount(1), testUser(1, 1)
	user.TwoFactor = account.TwoFactor{Secret: totpSecret, Since: after(1)}
	noError(t, db.Users.Register(t.Context(), account.Registration{Account: &acc, User: user}, start()))
	noError(t, db.Interviews.Insert(t.Context(), interviewtest.Announced(1), interview.Limits{}, start(), nil))
}

// wantSecrets compares the secrets as they are read with some keys, "" for none. A prefix is enough for that of the
// user.
func wantSecrets(t *testing.T, db *store.DB, keys, totp string, endpoint webhook.Secret) {
	t.Helper()
	useKeys(t, db, keys)
	one := must(db.Users.Find(t.Context(), testUser(1, 1).ID))
	all := must(db.Users.List(t.Context(), testAccount(1).ID))
	if got := one.TwoFactor.Secret; !strings.HasPrefix(got, totp) || got != all[0].TwoFactor.Secret {
		t.Errorf("second factor %q and %q, want %q", got, all[0].TwoFactor.Secret, totp)
	}

	d := must(db.Webhooks.Claim(t.Context(), after(1), after(61), 1))
	if string(d.Secret) != string(endpoint) {
		t.Errorf("the webhook has another secret, of %d bytes", len(d.Secret))
	}

	// After a failure the message is due at once, so that the next call can read it.
	noError(t, db.Webhooks.Settle(t.Context(), d, webhook.Outcome{At: after(1), Error: "later", Next: after(1)}))
}

// endpointSecret returns the secret of the webhook that storeSecrets stores.
func endpointSecret() webhook.Secret { return interviewtest.Announced(1).Endpoint.Secret }

func useKeys(t *testing.T, db *store.DB, keys string) {
	t.Helper()
	db.Secrets = nil
	if keys != "" {
		db.Secrets = must(sealed.Parse(keys))
	}
}

func readsSealedSecrets(t *testing.T, db *store.DB) {
	useKeys(t, db, firstKey)
	storeSecrets(t, db)
	wantSecrets(t, db, firstKey, totpSecret, endpointSecret())
	wantSecrets(t, db, "", "sealed:", nil)
}

func resealsSecrets(t *testing.T, db *store.DB) {
	storeSecrets(t, db)
	for _, keys := range []string{firstKey, secondKey + "\n" + firstKey} {
		useKeys(t, db, keys)
		wantEqual(t, store.Resealed{Changed: 2}, must(db.Reseal(t.Context())))
		wantEqual(t, store.Resealed{}, must(db.Reseal(t.Context())))
	}
	wantSecrets(t, db, secondKey, totpSecret, endpointSecret())
	wantSecrets(t, db, firstKey, "sealed:", nil)
}

func keepsUnreadableSecrets(t *testing.T, db *store.DB) {
	useKeys(t, db, firstKey)
	storeSecrets(t, db)
	useKeys(t, db, secondKey)
	wantEqual(t, store.Resealed{Unreadable: 2}, must(db.Reseal(t.Context())))

	// A change of the user keeps the secret that can't be read.
	user := must(db.Users.Find(t.Context(), testUser(1, 1).ID))
	user.Role = account.Member
	changeUser(t, db, user)
	wantSecrets(t, db, firstKey, totpSecret, endpointSecret())

	// The second factor can be turned off nevertheless.
	useKeys(t, db, secondKey)
	user.TwoFactor = account.TwoFactor{}
	changeUser(t, db, user)
	wantEqual(t, false, must(db.Users.Find(t.Context(), user.ID)).TwoFactor.On())
}

func changeUser(t *testing.T, db *store.DB, u account.User) {
	t.Helper()
	change := func([]account.User, []apikey.Key) (account.UserChanges, error) {
		return account.UserChanges{Changed: []account.User{u}}, nil
	}
	noError(t, db.Users.Update(t.Context(), u.Account, nil, start(), change))
}

func storesPlainSecrets(t *testing.T, db *store.DB) {
	storeSecrets(t, db)
	wantEqual(t, store.Resealed{}, must(db.Reseal(t.Context())))
	wantSecrets(t, db, "", totpSecret, endpointSecret())
	wantSecrets(t, db, firstKey, totpSecret, endpointSecret())
}
