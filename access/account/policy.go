package account

import "fmt"

// SignUpPolicy is who may become a user. The very first one becomes it by the set-up link, whatever the policy.
type SignUpPolicy string

// The policies.
const (
	Open         SignUpPolicy = "open"       // anyone, with an account on the plan freelancer
	ByInvitation SignUpPolicy = "invitation" // who has an invitation
	Closed       SignUpPolicy = "closed"     // nobody; invitations are neither made nor taken
)

// ParseSignUpPolicy is the policy with a name.
func ParseSignUpPolicy(word string) (SignUpPolicy, error) {
	switch p := SignUpPolicy(word); p {
	case Open, ByInvitation, Closed:
		return p, nil
	default:
		return "", fmt.Errorf("sign-up must be open, invitation or closed, got %q", word)
	}
}
