package apikey

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
)

const (
	maxNameLen  = 100 // characters
	maxNetworks = 20
)

// Operations returns the operations a key can be limited to: the last segment of most API routes. match includes its
// variants, and freelancers all operations on single freelancers.
func Operations() []string {
	return []string{
		"health", "match", "generate-test-data", "verify-skill", "parse", "interview", "events",
		"freelancers", "webhooks",
	}
}

// The permissions that a key has only if an administrator of the service grants them.
const (
	ReadData  = "data:read"  // read the complete records of freelancers, and list them
	WriteData = "data:write" // change and erase freelancers
	// WriteWebhooks is the permission to create, change and read webhook endpoints of the account.
	WriteWebhooks = "webhooks:write"
)

// Permissions returns all permissions.
func Permissions() []string { return []string{ReadData, WriteData, WriteWebhooks} }

// A Request describes a new key.
type Request struct {
	// ID is "" or an id from NewID. A form that contains an id creates one key however often it is sent: Issue returns
	// ErrExists from the second time on.
	ID         string
	Name       string    // see ParseName
	Operations []string  // a subset of Operations; empty: all
	Networks   []string  // up to 20 networks such as 10.0.0.0/8, or single addresses; empty: all
	Expires    time.Time // in the future; zero: never
	Plan       string    // the name of a plan, for keys without an account only
	Test       bool      // a test key, see Key.Test
}

// Settings holds what the owner of a key can change. Its fields have the same meaning as in Request.
type Settings struct {
	Name       string
	Operations []string
	Networks   []string
	Expires    time.Time
}

var idPattern = regexp.MustCompile(`^key_[0-9A-Za-z]{12}$`)

// NewID returns an id for a new key.
func NewID() string { return "key_" + randomText(12) }

// ParseName returns the name of a key or an account without surrounding space. A name has 1 to 100 characters of any
// script, at least one of them visible. Lists show names of several people side by side, so ParseName rejects control
// characters, line breaks, and marks that reorder the text after them.
func ParseName(text string) (string, error) {
	name := strings.TrimSpace(text)
	n := utf8.RuneCountInString(name)
	visible := func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
	forbidden := func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	}
	switch {
	case n == 0 || n > maxNameLen:
		return "", fmt.Errorf("name must have 1 to %d characters, got %d", maxNameLen, n)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, forbidden):
		return "", fmt.Errorf("name must be valid UTF-8 without control characters, got %+q", name)
	case !strings.ContainsFunc(name, visible):
		return "", fmt.Errorf("name must have a visible character, got %+q", name)
	}
	return name, nil
}

// apply copies the settings to a key and returns all faults. The expiry may be in the past if it does not change.
func (s Settings) apply(k *Key, now time.Time) (faults []matching.FieldError) {
	name, err := ParseName(s.Name)
	if err != nil {
		faults = append(faults, matching.FieldError{Field: "name", Code: "invalid", Message: err.Error()})
	}

	expires := s.Expires.UTC().Truncate(time.Millisecond)
	if !expires.IsZero() && !expires.Equal(k.Expires) && !expires.After(now) {
		faults = append(faults, matching.FieldError{
			Field: "expires", Code: "past", Message: "expires must be in the future",
		})
	}

	operations, invalid := parseOperations(s.Operations)
	faults = append(faults, invalid...)
	networks, invalid := parseNetworks(s.Networks)
	faults = append(faults, invalid...)

	// The caller discards the key if there are faults.
	k.Name = name
	k.Expires = expires
	k.Operations = operations
	k.Networks = networks

	return faults
}

// parsePermissions returns the distinct permissions, sorted, and all faults.
func parsePermissions(names []string) (permissions []string, faults []matching.FieldError) {
	for i, name := range names {
		if !slices.Contains(Permissions(), name) {
			faults = append(faults, matching.FieldError{
				Field: fmt.Sprintf("permissions[%d]", i), Code: "unknown",
				Message: fmt.Sprintf("permission must be one of %s, got %q", strings.Join(Permissions(), ", "), name),
			})
			continue
		}
		permissions = append(permissions, name)
	}
	slices.Sort(permissions)
	return slices.Compact(permissions), faults
}

func parseOperations(names []string) (operations []string, faults []matching.FieldError) {
	for i, name := range names {
		if !slices.Contains(Operations(), name) {
			faults = append(faults, matching.FieldError{
				Field: fmt.Sprintf("operations[%d]", i), Code: "unknown",
				Message: fmt.Sprintf("operation must be one of %s, got %q", strings.Join(Operations(), ", "), name),
			})
			continue
		}
		operations = append(operations, name)
	}
	slices.Sort(operations)
	return slices.Compact(operations), faults
}

// parseNetworks returns networks and single addresses in canonical form, sorted and without duplicates: host bits are
// zero, and IPv4 networks are not written as IPv6.
func parseNetworks(texts []string) (networks []netip.Prefix, faults []matching.FieldError) {
	// Every request of the key compares its address with all networks.
	if len(texts) > maxNetworks {
		return nil, []matching.FieldError{{
			Field: "networks", Code: "too_many",
			Message: fmt.Sprintf("networks must have at most %d entries, got %d", maxNetworks, len(texts)),
		}}
	}

	for i, text := range texts {
		network, ok := parseNetwork(strings.TrimSpace(text))
		if !ok {
			faults = append(faults, matching.FieldError{
				Field: fmt.Sprintf("networks[%d]", i), Code: "invalid",
				Message: fmt.Sprintf("network must be like 10.0.0.0/8 or 2001:db8::/32, or a single address, got %q", text),
			})
			continue
		}

		networks = append(networks, network)
	}

	slices.SortFunc(networks, netip.Prefix.Compare)
	return slices.Compact(networks), faults
}

func parseNetwork(text string) (network netip.Prefix, ok bool) {
	if !strings.Contains(text, "/") {
		address, err := netip.ParseAddr(text)
		if err != nil || address.Zone() != "" {
			return netip.Prefix{}, false
		}
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), true
	}

	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, false
	}

	if network.Addr().Is4In6() {
		// The first 96 bits mark an IPv4 address. A shorter prefix is neither an IPv4 network nor a useful IPv6 network.
		if network.Bits() < 96 {
			return netip.Prefix{}, false
		}
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-96)
	}

	return network.Masked(), true
}
