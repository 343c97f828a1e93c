package notices_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
	"github.com/pquerna/otp/totp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/notices"
	"github.com/freelancer-matching/service/notices/mail"
	"github.com/freelancer-matching/service/notices/mail/smtptest"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/sqlite"
	"github.com/freelancer-matching/service/store/sqlite/sqlitetest"
	"github.com/freelancer-matching/service/webhook"
)

const (
	password    = "purple otter under the stairs"
	newPassword = "seven kettles on a raft"
)

// A rig is the services on a real database, with a mail server and a clock that tests move.
type rig struct {
	*account.Services
	t       *testing.T
	keys    *apikey.Service
	db      *store.DB
	server  *smtptest.Server
	secrets []string // that no notice may have

	owner, member account.User

	mu       sync.Mutex
	at       time.Time
	outcomes []string
}

func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at
}

func (r *rig) advance(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = r.at.Add(d)
}

func (r *rig) sent(outcome string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes = append(r.outcomes, outcome)
}

// newRig returns a rig with an owner and a member of one account, and notices by channels.
func newRig(t *testing.T, channels ...notices.Channel) *rig {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.NewFile(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.NoticeChannels = channels

	r := &rig{t: t, db: db, at: time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC), secrets: []string{password, newPassword}}
	r.server = smtptest.Start(t, smtptest.TLS)
	r.keys = apikey.NewService(db.Keys, r.now)
	r.Services = account.New(account.Config{
		Stores: db.AccountStores(), Now: r.now, SignUp: account.Open, Limits: account.DefaultLimits(),
		Log: slog.New(slog.DiscardHandler),
	})

	a := account.Account{ID: "acc_1", Name: "Ørsted & Ko", Plan: "professional", PlanSince: r.at, Created: r.at}
	r.owner = account.User{ID: "usr_owner", Email: "owner@example.com", Role: account.Owner}
	r.member = account.User{ID: "usr_member", Email: "member@example.com", Role: account.Member}
	r.register(&a, &r.owner)
	r.register(nil, &r.member)

	return r
}

// register stores a user, and their account unless it is nil. The hash of the password is a cheap one.
func (r *rig) register(a *account.Account, u *account.User) {
	u.Account = "acc_1"
	if a != nil {
		u.Account = a.ID
	}
	u.Created = r.at
	u.Password = must(argon2id.CreateHash(password, &argon2id.Params{
		Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32,
	}))
	if err := r.db.Users.Register(r.t.Context(), account.Registration{Account: a, User: *u}, r.at); err != nil {
		r.t.Fatal(err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func by(u account.User) audit.By {
	return audit.By{Actor: u.ID, Address: "192.0.2.7", Browser: "Firefox on Linux"}
}

func operator() audit.By { return audit.By{Actor: audit.CommandLine} }

// sender returns a sender of mails.
func (r *rig) sender() *webhook.Sender {
	address := netip.MustParseAddrPort(r.server.Address)
	return webhook.NewSender(webhook.Sender{
		Name: "notice", Outbox: r.db.Notices.Outbox(notices.Mail), Now: r.now, Sent: r.sent,
		Log: slog.New(slog.DiscardHandler),
		Transport: &mail.Mailer{
			Server: mail.Server{
				Host: address.Addr().String(), Port: int(address.Port()), Encryption: mail.TLS, CA: r.server.CA,
				User: smtptest.User, Password: func() string { return smtptest.Password },
			},
			From: "matching@example.com", Site: &url.URL{Scheme: "https", Host: "match.example.com"},
		},
	})
}

// sendAll makes attempts until nothing is due, and returns how many there were.
func (r *rig) sendAll() (attempts int) {
	r.t.Helper()
	sender := r.sender()
	for {
		err := sender.SendNext(r.t.Context())
		if errors.Is(err, webhook.ErrNone) {
			return attempts
		}
		if err != nil {
			r.t.Fatal(err)
		}
		attempts++
	}
}

// createKey creates a key of the account, by the owner.
func (r *rig) createKey() apikey.Key {
	token, key, err := r.Accounts.CreateKey(r.t.Context(), by(r.owner), r.owner.Account, apikey.Request{Name: "CI"})
	r.secrets = append(r.secrets, must(token, err))
	return key
}

// enable turns on the member's second factor, and returns the recovery codes.
func (r *rig) enable() []string {
	enrollment := must(account.NewEnrollment("Matching", r.member.Email))
	link := must(url.Parse(enrollment.URL))
	secret := link.Query().Get("secret")
	code := must(totp.GenerateCode(secret, r.now()))
	recovery := must(r.SecondFactors.Enable(r.t.Context(), by(r.member), r.member.ID, secret, code))
	r.secrets = append(append(r.secrets, secret, code), recovery...)
	return recovery
}

// A change is a change of credentials and the mails about it.
type change struct {
	make func(r *rig) error
	to   []string // addresses, sorted
	want []string // what each mail has
}

// changes returns a change for every action that must be told.
func changes() map[audit.Action]change {
	const (
		self      = "By:      you, or somebody signed in as you\n  From:    192.0.2.7, Firefox on Linux"
		commands  = "By:      the operator of this service, on the command line\n"
		fromOwner = "By:      owner@example.com\n  From:    192.0.2.7, Firefox on Linux"
	)
	member, owner := []string{"member@example.com"}, []string{"owner@example.com"}
	ofKey := func(c func(r *rig, k apikey.Key) error) func(r *rig) error {
		return func(r *rig) error {
			k := r.createKey()
			r.sendAll()
			return c(r, k)
		}
	}

	return map[audit.Action]change{
		audit.PasswordChanged: {func(r *rig) error {
			secret, _, err := r.Links.CreateReset(r.t.Context(), operator(), r.member.ID)
			if err != nil {
				return err
			}
			r.secrets = append(r.secrets, secret)
			_, err = r.Passwords.Reset(r.t.Context(), by(account.User{}), secret, newPassword)
			return err
		}, member, []string{"Your password was changed.", "17 May 2031, 09:30:00 UTC", self, "Details: with a link"}},

		audit.TwoFactorOn: {func(r *rig) error {
			r.enable()
			return nil
		}, member, []string{"Two-factor authentication was turned on.", self}},

		audit.TwoFactorOff: {func(r *rig) error {
			r.enable()
			r.sendAll()
			return r.SecondFactors.Reset(r.t.Context(), operator(), r.member.ID)
		}, member, []string{"Two-factor authentication was turned off.", commands}},

		audit.RecoveryChanged: {func(r *rig) error {
			r.enable()
			r.sendAll()
			codes, err := r.SecondFactors.NewRecoveryCodes(r.t.Context(), by(r.member), r.member.ID)
			r.secrets = append(r.secrets, codes...)
			return err
		}, member, []string{"New recovery codes were created.", self}},

		// The sign-in is from a new browser, too.
		audit.RecoveryUsed: {func(r *rig) error {
			codes := r.enable()
			r.sendAll()
			_, err := r.SignIns.EnterCode(r.t.Context(), account.SecondStep{
				User: r.member.ID, Code: codes[0], Address: netip.MustParseAddr("192.0.2.7"), Agent: "Firefox on Linux",
			})
			return err
		}, member, []string{"A recovery code was used.", "Details: with a recovery code, 9 left", "2 changes", self}},

		audit.UserNewBrowser: {func(r *rig) error {
			_, _, err := r.SignIns.SignIn(r.t.Context(), account.Credentials{
				Email: r.member.Email, Password: password, Address: netip.MustParseAddr("192.0.2.7"), Agent: "Firefox on Linux",
			})
			return err
		}, member, []string{"Someone signed in as you from a new browser.", self}},

		audit.EmailChanged: {
			func(r *rig) error {
				_, err := r.Users.SetEmail(r.t.Context(), operator(), r.member.ID, "new@example.com")
				return err
			},
			[]string{"member@example.com", "new@example.com"},
			[]string{"Your email address was changed.", commands, "Details: member@example.com → new@example.com"},
		},

		audit.UserRoleChanged: {func(r *rig) error {
			_, err := r.Users.SetRole(r.t.Context(), by(r.owner), r.member.ID, account.Owner)
			return err
		}, member, []string{"Your role was changed.", fromOwner, "member → owner"}},

		audit.UserSignedOut: {func(r *rig) error {
			return r.Sessions.EndAll(r.t.Context(), by(r.owner), r.member.ID)
		}, member, []string{"Your sessions were ended.", fromOwner}},

		audit.KeyCreated: {func(r *rig) error {
			r.createKey()
			return nil
		}, owner, []string{"An API key was created.", `"CI"`, self}},

		audit.KeyChanged: {ofKey(func(r *rig, k apikey.Key) error {
			_, err := r.keys.Change(r.t.Context(), operator(), k.Account, k.ID,
				apikey.Settings{Name: k.Name, Operations: []string{"match"}})
			return err
		}), owner, []string{"The settings of an API key were changed.", commands}},

		audit.KeyPermissions: {ofKey(func(r *rig, k apikey.Key) error {
			_, err := r.keys.SetPermissions(r.t.Context(), operator(), k.Account, k.ID, []string{apikey.ReadData})
			return err
		}), owner, []string{"The permissions of an API key were changed.", "no permissions → data:read"}},

		audit.KeyDisabled: {ofKey(func(r *rig, k apikey.Key) error {
			_, err := r.keys.Disable(r.t.Context(), operator(), k.Account, k.ID)
			return err
		}), owner, []string{"An API key was disabled.", `"CI"`}},

		audit.KeyEnabled: {ofKey(func(r *rig, k apikey.Key) error {
			if _, err := r.keys.Disable(r.t.Context(), operator(), k.Account, k.ID); err != nil {
				return err
			}
			r.sendAll()
			_, err := r.keys.Enable(r.t.Context(), operator(), k.Account, k.ID)
			return err
		}), owner, []string{"An API key was enabled.", `"CI"`}},

		audit.KeyRotated: {ofKey(func(r *rig, k apikey.Key) error {
			token, _, err := r.keys.Rotate(r.t.Context(), by(r.owner), k.Account, k.ID, 0)
			r.secrets = append(r.secrets, token)
			return err
		}), owner, []string{"An API key was replaced.", `"CI"`, self}},

		audit.KeyRevoked: {ofKey(func(r *rig, k apikey.Key) error {
			_, err := r.keys.Revoke(r.t.Context(), by(r.owner), k.Account, k.ID)
			return err
		}), owner, []string{"An API key was revoked.", `"CI"`, self}},
	}
}

// Every change reaches the people whom it concerns, and no mail has a secret.
func TestEveryChange(t *testing.T) {
	table := changes()
	for _, concern := range []audit.Concern{audit.User, audit.Owners} {
		for _, action := range audit.Concerning(concern) {
			t.Run(string(action), func(t *testing.T) {
				change, ok := table[action]
				if !ok {
					t.Fatal("the table has no such change")
				}
				r := newRig(t, notices.Mail)
				if n := r.sendAll(); n != 0 {
					t.Fatalf("%d notices before any change", n)
				}
				if err := change.make(r); err != nil {
					t.Fatal(err)
				}

				before := len(r.server.Mails())
				r.sendAll()
				mails := r.server.Mails()[before:]
				var to []string
				for _, m := range mails {
					to = append(to, m.To)
					for _, want := range change.want {
						if text := m.Header.Get("Subject") + "\n" + m.Text(t); !strings.Contains(text, want) {
							t.Errorf("the mail lacks %q:\n%s", want, text)
						}
					}
				}
				slices.Sort(to)
				if diff := cmp.Diff(change.to, to); diff != "" {
					t.Errorf("recipients (-want +got):\n%s", diff)
				}
				r.wantNoSecrets()
			})
		}
	}
}

// wantNoSecrets checks the mails, as sent and as decoded.
func (r *rig) wantNoSecrets() {
	r.t.Helper()
	for _, m := range r.server.Mails() {
		for _, secret := range r.secrets {
			if len(secret) < 6 || strings.Contains(m.Raw, secret) || strings.Contains(m.Text(r.t), secret) {
				r.t.Errorf("secret %q is in the mail:\n%s", secret, m.Text(r.t))
			}
		}
	}
}

// Nobody gets a notice of what users do in a known browser, of sessions that they end themselves, and of keys without
// an account.
func TestOtherChanges(t *testing.T) {
	r := newRig(t, notices.Mail)
	ctx := t.Context()
	browser := must(r.Browsers.Remember(ctx, r.member.ID, ""))
	_, _, signIn := r.SignIns.SignIn(ctx, account.Credentials{
		Email: r.member.Email, Password: password, Address: netip.MustParseAddr("192.0.2.7"), Browser: browser,
	})
	_, _, create := r.keys.Create(ctx, operator(), apikey.Request{Name: "no account", Plan: "freelancer"})
	for _, err := range []error{
		signIn, create, r.Sessions.EndAll(ctx, by(r.member), r.member.ID),
		r.Sessions.RecordEnd(ctx, by(r.member), r.member.ID),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}

	if n := r.sendAll(); n != 0 {
		t.Errorf("%d notices, want none: %v", n, r.server.Mails())
	}
}

// Without channels, nothing is stored or sent.
func TestNotConfigured(t *testing.T) {
	r := newRig(t)
	r.enable()
	r.createKey()
	r.db.NoticeChannels = []notices.Channel{notices.Mail} // too late
	if n := r.sendAll(); n != 0 {
		t.Errorf("%d notices", n)
	}
}

// The endpoint of the operator gets the same as the mails, each on its own.
func TestBothChannels(t *testing.T) {
	r := newRig(t, notices.Mail, notices.Webhook)
	r.createKey()

	outbox := r.db.Notices.Outbox(notices.Webhook)
	d, err := outbox.Claim(t.Context(), r.now(), r.now().Add(time.Minute), 2)
	if err != nil {
		t.Fatal(err)
	}
	var got notices.Message
	if err := json.Unmarshal(d.Body, &got); err != nil {
		t.Fatal(err)
	}
	detail := got.Events[0].Detail
	got.Events[0].Detail = ""
	want := notices.Message{
		Type: "security.notice", Timestamp: r.now(),
		Recipient: notices.Recipient{Email: r.owner.Email, User: r.owner.ID, Account: r.owner.Account},
		Events: []notices.Event{{
			Action: audit.KeyCreated, Title: "An API key was created", At: r.now(), By: notices.Self,
			Address: "192.0.2.7", Browser: "Firefox on Linux",
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" || !strings.Contains(detail, `"CI"`) {
		t.Errorf("message (-want +got), detail %q:\n%s", detail, diff)
	}
	if n := r.sendAll(); n != 1 {
		t.Errorf("%d mails besides, want 1", n)
	}
}

// A mail that the server refuses for now is sent later, with the same ID, even if the server is gone meanwhile.
func TestRetries(t *testing.T) {
	r := newRig(t, notices.Mail)
	r.createKey()

	r.server.Refuse(&smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "later"})
	if n := r.sendAll(); n != 1 || len(r.server.Mails()) != 0 {
		t.Fatalf("%d attempts, %d mails", n, len(r.server.Mails()))
	}

	r.server.Stop()
	r.advance(time.Hour)
	if n := r.sendAll(); n != 1 {
		t.Fatalf("%d attempts without a server, want 1", n)
	}

	r.server.Restart(t)
	r.advance(time.Hour)
	if n := r.sendAll(); n != 1 || len(r.server.Mails()) != 1 {
		t.Fatalf("%d attempts, %d mails, want 1 of each", n, len(r.server.Mails()))
	}
	if diff := cmp.Diff([]string{webhook.Failed, webhook.Failed, webhook.Delivered}, r.outcomes); diff != "" {
		t.Error(diff)
	}
}

// Nothing repeats a mail for a mailbox that doesn't exist, or longer than a day.
func TestGivesUp(t *testing.T) {
	r := newRig(t, notices.Mail)
	r.createKey()
	r.server.Refuse(&smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"})
	r.sendAll()
	r.advance(2 * time.Hour)
	if n := r.sendAll(); n != 0 || len(r.outcomes) != 1 || r.outcomes[0] != webhook.GivenUp {
		t.Fatalf("%d further attempts, outcomes %v", n, r.outcomes)
	}

	r.server.Stop()
	r.createKey()
	for range 20 {
		r.sendAll()
		r.advance(3 * time.Hour)
	}
	if last := r.outcomes[len(r.outcomes)-1]; last != webhook.GivenUp || len(r.outcomes) > 20 {
		t.Errorf("outcomes %v", r.outcomes)
	}

	// The next change is sent again.
	r.server.Restart(t)
	r.createKey()
	if r.sendAll(); len(r.server.Mails()) != 1 {
		t.Errorf("%d mails, want 1", len(r.server.Mails()))
	}
}

// However many changes there are, a person gets few mails in any hour, and all changes are sent in the end.
func TestLimit(t *testing.T) {
	r := newRig(t, notices.Mail)
	key := r.createKey()
	sentAt := []time.Time{}
	told := 0
	count := func() {
		before := len(r.server.Mails())
		r.sendAll()
		for _, m := range r.server.Mails()[before:] {
			sentAt = append(sentAt, r.now())
			told += strings.Count(m.Text(t), "  When:")
			if _, tail, ok := strings.Cut(m.Text(t), "... and "); ok {
				var more int
				must(fmt.Sscan(tail, &more))
				told += more
			}
		}
	}

	const minutes = 180
	for range minutes {
		must(r.keys.Disable(t.Context(), operator(), key.Account, key.ID))
		must(r.keys.Enable(t.Context(), operator(), key.Account, key.ID))
		count()
		r.advance(time.Minute)
	}
	r.advance(time.Hour)
	count()

	if want := 1 + 2*minutes; told != want {
		t.Errorf("the mails have %d changes, want %d", told, want)
	}
	for i := notices.MaxAnHour; i < len(sentAt); i++ {
		if sentAt[i].Sub(sentAt[i-notices.MaxAnHour]) < time.Hour {
			t.Errorf("more than %d mails in the hour from %s", notices.MaxAnHour, sentAt[i-notices.MaxAnHour])
		}
	}
	if len(sentAt) < 2*notices.MaxAnHour {
		t.Errorf("%d mails, so the limit wasn't tested", len(sentAt))
	}
}

// Several servers that share the outbox send each message once.
func TestSeveralServers(t *testing.T) {
	r := newRig(t, notices.Mail)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 3 {
		sender := r.sender()
		running.Go(func() { sender.Run(ctx) })
	}

	var want []string
	for i := range 12 {
		u := account.User{
			ID: fmt.Sprintf("usr_%d", i), Email: fmt.Sprintf("user%02d@example.com", i), Role: account.Member,
		}
		r.register(nil, &u)
		must(r.Users.SetEmail(ctx, operator(), u.ID, fmt.Sprintf("new%02d@example.com", i)))
		want = append(want, fmt.Sprintf("user%02d@example.com", i), fmt.Sprintf("new%02d@example.com", i))
	}

	var got []string
	for range want {
		got = append(got, r.server.Next(t).To)
	}
	cancel()
	running.Wait()

	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(r.server.Mails()) != len(want) {
		t.Errorf("%d mails, recipients (-want +got):\n%s", len(r.server.Mails()), diff)
	}
}

// A server that was killed during an attempt doesn't lose the message: another one sends it when the lease has ended.
func TestKilledServer(t *testing.T) {
	r := newRig(t, notices.Mail)
	r.createKey()
	lost, err := r.db.Notices.Outbox(notices.Mail).Claim(t.Context(), r.now(), r.now().Add(time.Minute), 2)
	if err != nil {
		t.Fatal(err)
	}
	if n := r.sendAll(); n != 0 {
		t.Fatalf("%d attempts while another server has the message", n)
	}

	r.advance(time.Minute)
	r.sendAll()
	mails := r.server.Mails()
	if len(mails) != 1 || mails[0].Header.Get("Message-Id") != "<"+lost.ID+"@example.com>" {
		t.Errorf("%d mails, want the lost one", len(mails))
	}
}
