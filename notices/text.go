package notices

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/access/audit"
)

// title returns a change in words. It names neither people nor keys, so it fits into the subject of a mail.
func title(a audit.Action) string {
	switch a {
	case audit.UserNewBrowser:
		return "Someone signed in as you from a new browser"
	case audit.TwoFactorOn:
		return "Two-factor authentication was turned on"
	case audit.TwoFactorOff:
		return "Two-factor authentication was turned off"
	case audit.RecoveryChanged:
		return "New recovery codes were created"
	case audit.RecoveryUsed:
		return "A recovery code was used"
	case audit.UserSignedOut:
		return "Your sessions were ended"
	case audit.UserRoleChanged:
		return "Your role was changed"
	case audit.PasswordChanged:
		return "Your password was changed"
	case audit.EmailChanged:
		return "Your email address was changed"
	case audit.KeyCreated:
		return "An API key was created"
	case audit.KeyChanged:
		return "The settings of an API key were changed"
	case audit.KeyPermissions:
		return "The permissions of an API key were changed"
	case audit.KeyDisabled:
		return "An API key was disabled"
	case audit.KeyEnabled:
		return "An API key was enabled"
	case audit.KeyRotated:
		return "An API key was replaced"
	case audit.KeyRevoked:
		return "An API key was revoked"
	default:
		return string(a)
	}
}

// Subject returns the subject of a mail with the message.
func (m *Message) Subject() string {
	if n := len(m.Events) + m.Omitted; n != 1 {
		return "Security notice: " + english.Plural(n, "change", "changes")
	}
	return "Security notice: " + m.Events[0].Title
}

// Text returns the text of a mail with the message. site is the public URL of the dashboard.
func (m *Message) Text(site *url.URL) string {
	var b strings.Builder
	fmt.Fprintf(&b, "This is a security notice for %s on %s.\n", m.Recipient.Email, site.Host)
	for i := range m.Events {
		m.Events[i].write(&b)
	}

	security := site.JoinPath("/dashboard/account/security").String()
	if m.Omitted > 0 {
		fmt.Fprintf(&b, "\n... and %s more.\n", english.Plural(m.Omitted, "change", "changes"))
	}
	fmt.Fprintf(&b, `
If you know about this, you don't have to do anything.

If you don't, somebody else may have access:
1. Change your password: %s
2. Choose "Sign out everywhere" on the same page.
3. Revoke API keys that you don't know: %s
4. Tell the owner of your account, or the operator of this service. If you can't
   sign in, they can send you a link to choose a new password.

All changes: %s
This mail contains no link that signs you in. Nobody reads replies to it.
`, site.JoinPath("/dashboard/account"), site.JoinPath("/dashboard/keys"), security)

	return b.String()
}

// write writes a change as a paragraph.
func (e *Event) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s.\n", e.Title)
	fmt.Fprintf(b, "  When:    %s\n", e.At.UTC().Format("2 January 2006, 15:04:05 UTC"))
	fmt.Fprintf(b, "  By:      %s\n", e.Who())

	// The command line has no address, and programs have no browser.
	var from []string
	for _, part := range []string{e.Address, e.Browser} {
		if part != "" {
			from = append(from, part)
		}
	}
	if len(from) > 0 {
		fmt.Fprintf(b, "  From:    %s\n", strings.Join(from, ", "))
	}

	if e.Detail != "" {
		fmt.Fprintf(b, "  Details: %s\n", e.Detail)
	}
}

// Who returns By in words.
func (e Event) Who() string {
	switch e.By {
	case Self:
		return "you, or somebody signed in as you"
	case Operator:
		return "the operator of this service, on the command line"
	case System:
		return "this service"
	case Administrator:
		return "an administrator of this service"
	default:
		return e.By
	}
}
