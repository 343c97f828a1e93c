package apikey

import (
	"net/netip"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestParseName(t *testing.T) {
	for text, want := range map[string]string{
		"Acme":                      "Acme",
		"  Acme \t":                 "Acme",
		"<script>alert(1)</script>": "<script>alert(1)</script>", // pages escape it
		"'; DROP TABLE api_keys;--": "'; DROP TABLE api_keys;--",
		"株式会社":                      "株式会社",
		"مؤسسة":                     "مؤسسة",
		"👩‍💻 team":                  "👩‍💻 team", // contains a joiner
		strings.Repeat("é", 100):    strings.Repeat("é", 100),
		"=1+1":                      "=1+1",
	} {
		if got, err := ParseName(text); got != want || err != nil {
			t.Errorf("ParseName(%q) = %q, %v; want %q", text, got, err, want)
		}
	}

	for _, text := range []string{
		"", " ", "\u200b", "\u200d\u00a0", strings.Repeat("x", 101), "a\nb", "a\r\nX-Evil: 1", "a\x00b", "a\x1b[31mred",
		"a\u0085b", "a\u2028b", "a\u202eevil", "a\u2066b", "\xff\xfe", "a\x7f",
	} {
		if got, err := ParseName(text); err == nil {
			t.Errorf("ParseName(%+q) = %q, want an error", text, got)
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, text := range []string{"Acme", "a\nb", "\u202e", "\xff", " x "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := ParseName(text)
		if err != nil {
			return
		}
		reparsed, err := ParseName(name)
		if reparsed != name || err != nil {
			t.Errorf("ParseName(%q) = %q, but ParseName of that is %q, %v", text, name, reparsed, err)
		}
		n := utf8.RuneCountInString(name)
		if n < 1 || n > 100 || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
			t.Errorf("ParseName(%q) = %q, which is not a valid name", text, name)
		}
	})
}

func TestParseNetworks(t *testing.T) {
	for _, tt := range []struct{ texts, want string }{
		{"", ""},
		{"10.1.2.3", "10.1.2.3/32"},
		{" 10.1.2.3/8 ", "10.0.0.0/8"},
		{"2001:db8::1", "2001:db8::1/128"},
		{"2001:DB8::1/32", "2001:db8::/32"},
		{"::ffff:10.1.2.3", "10.1.2.3/32"},
		{"::ffff:10.1.2.3/104", "10.0.0.0/8"},
		{"::ffff:0.0.0.0/96", "0.0.0.0/0"},
		{"2001:db8::/32 10.0.0.0/8 10.9.9.9/8", "10.0.0.0/8 2001:db8::/32"},
	} {
		networks, faults := parseNetworks(strings.Fields(tt.texts))
		var got []string
		for _, n := range networks {
			got = append(got, n.String())
		}

		if strings.Join(got, " ") != tt.want || faults != nil {
			t.Errorf("parseNetworks(%q) = %v, %v; want %s", tt.texts, got, faults, tt.want)
		}
	}

	for _, text := range []string{
		"", "10.0.0.0/33", "10.0.0", "localhost", "fe80::1%eth0", "::ffff:10.0.0.0/64", "10.0.0.1-10.0.0.9", "010.0.0.1",
		"10.0.0.0/08", "/8",
	} {
		got, faults := parseNetworks([]string{"10.0.0.1", text})
		if len(faults) != 1 || faults[0].Field != "networks[1]" {
			t.Errorf("parseNetworks(%q) = %v, %v; want a fault in networks[1]", text, got, faults)
		}
	}

	if _, faults := parseNetworks(make([]string, 21)); len(faults) != 1 || faults[0].Code != "too_many" {
		t.Errorf("21 networks: %v, want too_many", faults)
	}
}

// Every accepted network is in canonical form and contains the address it was written with.
func FuzzParseNetwork(f *testing.F) {
	for _, text := range []string{"10.1.2.3/8", "::ffff:10.1.2.3/104", "2001:db8::/32", "::1", "fe80::1%eth0", "0/0"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		network, ok := parseNetwork(text)
		if !ok {
			return
		}

		reparsed, ok := parseNetwork(network.String())
		if !ok || reparsed != network || network != network.Masked() || network.Addr().Is4In6() {
			t.Errorf("parseNetwork(%q) = %v, but parseNetwork of that is %v", text, network, reparsed)
		}

		first, _, _ := strings.Cut(text, "/")
		address, err := netip.ParseAddr(first)
		if err != nil {
			t.Fatalf("parseNetwork accepts %q: %v", text, err)
		}

		if k := (Key{Networks: []netip.Prefix{network}}); k.Allows("match", address) != nil {
			t.Errorf("parseNetwork(%q) = %v, which does not contain %v", text, network, address)
		}
	})
}
