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

	"freelancer-matching/internal/matching"
)

const (
	maxName     = 100 // characters
	maxNetworks = 20
)

// Operations is what a key can be limited to: the last part of each route.
func Operations() []string {
	return []string{"health", "match", "generate-test-data", "verify-skill", "parse", "interview"}
}

// Request is what a new key is to be.
type Request struct {
	// ID is from NewID, or "" for a new one. A form that has it makes one key, however often it is sent: ErrExists after the first.
	ID         string
	Name       string    // see ParseName
	Operations []string  // some of Operations; none: all
	Networks   []string  // up to 20 networks (10.0.0.0/8) or single addresses; none: any
	Expires    time.Time // ahead; zero: never
	Plan       string    // the name of one of Plans, of a key without an account only
}

// Settings is what the owner of a key can change.
type Settings struct {
	Name       string
	Operations []string
	Networks   []string
	Expires    time.Time
}

var idForm = regexp.MustCompile(`^key_[0-9A-Za-z]{12}$`)

// NewID is an id for a key that is yet to be made.
func NewID() string { return "key_" + randomText(12) }

// ParseName is the name of a key or an account as people write it, without space around it: 1 to 100 characters in any
// script, one of them visible. Control characters and line breaks are refused, and so are marks that reorder the text after
// them, since names stand in lists beside other people's.
func ParseName(text string) (string, error) {
	name := strings.TrimSpace(text)
	n := utf8.RuneCountInString(name)
	visible := func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
	hidden := func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	}
	switch {
	case n == 0 || n > maxName:
		return "", fmt.Errorf("name must have 1 to %d characters, got %d", maxName, n)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, hidden):
		return "", fmt.Errorf("name must have no control characters and be UTF-8, got %+q", name)
	case !strings.ContainsFunc(name, visible):
		return "", fmt.Errorf("name must have a visible character, got %+q", name)
	}
	return name, nil
}

// apply sets what s says on a key, and tells all that is wrong with it. An expiry that stays as it is need not lie ahead.
func (s Settings) apply(k *Key, now time.Time) (faults []matching.FieldError) {
	name, err := ParseName(s.Name)
	if err != nil {
		faults = append(faults, matching.FieldError{Field: "name", Code: "invalid", Message: err.Error()})
	}
	expires := s.Expires.UTC().Truncate(time.Millisecond)
	switch {
	case expires.IsZero() || expires.Equal(k.Expires):
	case !expires.After(now):
		faults = append(faults, matching.FieldError{Field: "expires", Code: "past", Message: "expires must lie ahead"})
	}
	operations, wrong := parseOperations(s.Operations)
	faults = append(faults, wrong...)
	networks, wrong := parseNetworks(s.Networks)
	faults = append(faults, wrong...)
	k.Name, k.Expires, k.Operations, k.Networks = name, expires, operations, networks
	return faults
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

// parseNetworks reads networks and single addresses into the one form of each: bits beyond the length are zero, IPv4 is not
// written as IPv6, none is there twice, and they are sorted.
func parseNetworks(texts []string) (networks []netip.Prefix, faults []matching.FieldError) {
	if len(texts) > maxNetworks {
		return nil, []matching.FieldError{{
			Field: "networks", Code: "too_many",
			Message: fmt.Sprintf("networks must be at most %d, got %d", maxNetworks, len(texts)),
		}}
	}
	for i, text := range texts {
		network, ok := parseNetwork(strings.TrimSpace(text))
		if !ok {
			faults = append(faults, matching.FieldError{
				Field: fmt.Sprintf("networks[%d]", i), Code: "invalid",
				Message: fmt.Sprintf("network must be such as 10.0.0.0/8, 2001:db8::/32 or a single address, got %q", text),
			})
			continue
		}
		networks = append(networks, network)
	}
	slices.SortFunc(networks, netip.Prefix.Compare)
	return slices.Compact(networks), faults
}

func parseNetwork(text string) (netip.Prefix, bool) {
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
		// The first 96 bits say that it is IPv4; a shorter length would be neither an IPv4 network nor a sensible IPv6 one.
		if network.Bits() < 96 {
			return netip.Prefix{}, false
		}
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-96)
	}
	return network.Masked(), true
}
