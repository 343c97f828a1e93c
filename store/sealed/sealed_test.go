package sealed_test

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/store/sealed"
)

// The keys are 32 bytes of one letter.
const (
	first  = "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE="
	second = "YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmI="
)

func keys(t *testing.T, text string) *sealed.Keys {
	t.Helper()
	k, err := sealed.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeys_Rotation(t *testing.T) {
	const secret, purpose = "JBSWY3DPEHPK3PXP", "totp usr_1"
	var none *sealed.Keys
	before, rotated, replaced := keys(t, first), keys(t, second+"\n\n"+first+"\n"), keys(t, second)

	stored := before.Seal(secret, purpose)
	if strings.Contains(stored, secret) || stored == before.Seal(secret, purpose) {
		t.Errorf("stored as %s, want a new ciphertext each time", stored)
	}
	for _, test := range []struct {
		name    string
		keys    *sealed.Keys
		stored  string
		opens   bool
		current bool
	}{
		{"own key", before, stored, true, true},
		{"an earlier key", rotated, stored, true, false},
		{"a key that was removed", replaced, stored, false, false},
		{"no key", none, stored, false, false},
		{"plain text with a key", before, secret, true, false},
		{"plain text without a key", none, secret, true, true},
		{"resealed", replaced, rotated.Seal(secret, purpose), true, true},
		{"no secret", before, "", true, true},
		{"changed", before, stored[:len(stored)-2] + "AA", false, true},
	} {
		got, ok := test.keys.Open(test.stored, purpose)
		want := secret
		if !test.opens || test.stored == "" {
			want = test.stored
		}
		if got != want || ok != test.opens || test.keys.IsCurrent(test.stored) != test.current {
			t.Errorf("%s: got %q, %t, current %t", test.name, got, ok, test.keys.IsCurrent(test.stored))
		}
	}

	if _, ok := before.Open(stored, "totp usr_2"); ok {
		t.Error("the secret of a user opens as that of another")
	}
	if again := none.Seal(stored, purpose); again != stored || replaced.Seal(stored, purpose) != stored {
		t.Error("a secret that can't be read is not written back as it was")
	}
}

func TestParse_Rejects(t *testing.T) {
	for _, text := range []string{"", "\n", "secret", first[1:], first + "\nnonsense", "YWE="} {
		_, err := sealed.Parse(text)
		if err == nil || strings.Contains(err.Error(), "nonsense") {
			t.Errorf("%q: got error %v", text, err)
		}
	}
}
