package audit

// A Concern says who must learn of a change of credentials, because it shows an attack if they didn't expect it.
type Concern int

// The concerns.
const (
	Nobody Concern = iota
	User           // the user who is the subject
	Owners         // the owners and administrators in the account, whose API key is the subject
)

// Concerns returns who must learn of changes of a kind. Users see these changes on the page about their security, and
// get notices of them if notices are configured.
func (a Action) Concerns() Concern {
	switch a {
	case UserNewBrowser, TwoFactorOn, TwoFactorOff, RecoveryChanged, RecoveryUsed, UserSignedOut, UserRoleChanged,
		PasswordChanged, EmailChanged:
		return User
	case KeyCreated, KeyChanged, KeyPermissions, KeyDisabled, KeyEnabled, KeyRotated, KeyRevoked:
		return Owners
	default:
		return Nobody
	}
}

// Concerning returns all actions with a concern.
func Concerning(c Concern) (actions []Action) {
	for _, a := range Actions() {
		if a.Concerns() == c {
			actions = append(actions, a)
		}
	}
	return actions
}
