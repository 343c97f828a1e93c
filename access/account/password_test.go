package account

import (
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"
)

// The hashes were written by the reference implementation (phc-winner-argon2, test.c) and by an earlier version of this
// service, which encoded them itself.
func TestHasher_ReadsExistingHashes(t *testing.T) {
	h := newHasher(currentParams())
	for _, tt := range []struct {
		stored, password string
		outdated         bool
	}{
		{"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "password", true},
		{
			"$argon2id$v=19$m=19456,t=2,p=1$25sljwPAvfdj0IPzXz4Tqw$g1lbV9V4/sjlViCx72MqMT1cnRS4kaxzIHfXd/NjVp0",
			"Tr0ub4dor&3 horse", false,
		},
	} {
		if match, outdated, err := h.matches(tt.stored, tt.password); !match || outdated != tt.outdated || err != nil {
			t.Errorf("matches = %t, %t, %v; want true, %t", match, outdated, err, tt.outdated)
		}
		if match, _, err := h.matches(tt.stored, strings.ToUpper(tt.password)); match || err != nil {
			t.Errorf("matches with another password = %t, %v; want false", match, err)
		}
	}
}

func TestHasher_SaltsHashesAtTheCurrentCost(t *testing.T) {
	h := newHasher(currentParams())
	first := h.hash("correct horse")
	second := h.hash("correct horse")
	if first == second || !strings.HasPrefix(first, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hashes %s and %s", first, second)
	}
	if match, outdated, err := h.matches(first, "correct horse"); !match || outdated || err != nil {
		t.Errorf("matches = %t, %t, %v; want true, false", match, outdated, err)
	}
	if match, outdated, err := h.matches(h.dummy, "correct horse"); match || outdated || err != nil {
		t.Errorf("matches of the dummy hash = %t, %t, %v; want false, false", match, outdated, err)
	}
}

// Some keyboards send é as one character, others as e and a combining accent.
func TestHasher_IgnoresHowLettersAreComposed(t *testing.T) {
	h := newHasher(argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if match, _, err := h.matches(h.hash("caf\u00e9 au lait"), "cafe\u0301 au lait"); !match || err != nil {
		t.Errorf("matches = %t, %v; want true", match, err)
	}
}

func TestHasher_RejectsInvalidHashes(t *testing.T) {
	const salt, key = "c29tZXNhbHRzYWx0", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	h := newHasher(currentParams())
	h.check = func(_, hash string) (bool, *argon2id.Params, error) {
		t.Errorf("%q was computed", hash)
		return false, nil, nil
	}
	for _, stored := range []string{
		"", "hunter2", "$2a$10$N9qo8uLOickgx2ZMRZoMye",
		"$argon2i$v=19$m=19456,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=16$m=19456,t=2,p=1$" + salt + "$" + key,
		"$argon2id$m=19456,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=0,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=4294967295,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=4294967295,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2,p=0$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2,p=256$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$",
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$AAAA",
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "=$" + key,
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + key + "$",
	} {
		match, _, err := h.matches(stored, "")
		if err == nil || match {
			t.Errorf("%q: matches = %t without an error", stored, match)
		} else if stored != "" && strings.Contains(err.Error(), stored) {
			t.Errorf("the error contains the hash: %v", err)
		}
	}
}

func TestPasswordRules(t *testing.T) {
	varied := strings.Repeat("purple otter under the stairs, ", 7)
	tests := []struct{ name, password, want string }{
		{"a few words", "purple otter under the stairs", ""},
		{"twelve characters", "kTp4wq!z0xVe", ""},
		{"lower case only", "zgwnmapqovte", ""},
		{"digits only", "830122419934", ""},
		{"another script", "пароль для входа", ""},
		{"common words in a row", "orange summer monkey", ""},
		{"two hundred characters", varied[:200], ""},
		{"eleven characters", "kTp4wq!z0xV", "too_short"},
		{"nine characters of two bytes", "пароль123", "too_short"},
		{"empty", "", "too_short"},
		{"201 characters", varied[:201], "too_long"},
		{"100,000 characters", strings.Repeat("x", 100_000), "too_long"},
		{"not UTF-8", strings.Repeat("\xff\xfe", 6), "invalid"},
		{"common", "unbelievable", "too_common"},
		{"common, in mixed case", "UnbelieVable", "too_common"},
		{"common, in full-width letters", "ｕnbelievable", "too_common"},
		{"common, with substitutions", "unb3l13v@bl3", "too_common"},
		{"common, with i for 1", "un1magin@t1v3", ""}, // isn't common, but resembles nothing that is
		{"common word with digits", "password1234", "too_common"},
		{"common word with a year and punctuation", "!!Summer2026!!", "too_common"},
		{"substitutions and digits", "P@55w0rd-2026", "too_common"},
		{"digits before and after", "123monkey456789", "too_common"},
		{"repeated common word", "monkeymonkey", "too_common"},
		{"repeated common word with spaces", "Dragon dragon dragon", "too_common"},
		{"repeated letters", "aaaaaaaaaaaa", "too_common"},
		{"repeated pair", "xyxyxyxyxyxy", "too_common"},
		{"alphabet", "abcdefghijklm", "too_common"},
		{"digits in order", "1234567890123", "too_common"},
		{"digits in reverse order", "09876543210987", "too_common"},
		{"two rows of keys", "qwertyuasdfgh", "too_common"},
		{"rows of a German keyboard", "qwertzuiopas", "too_common"},
		{"email address", "someone.else@example.com", "too_common"},
		{"email address in mixed case", "Someone.Else@Example.com", "too_common"},
		{"local part of the email address", "someone.else", "too_common"},
		{"local part with substitutions", "s0me0ne.3lse", "too_common"},
		{"local part and digits", "someone.else2026", "too_common"},
	}

	rules := newPasswordRules()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if faults := rules.check(tt.password, "someone.else@example.com"); len(faults) > 0 {
				got = faults[0].Code
				if tt.password != "" && strings.Contains(faults[0].Message, tt.password) {
					t.Error("the message contains the password")
				}
			}

			if got != tt.want {
				t.Errorf("code %q, want %q", got, tt.want)
			}
		})
	}
}

// An entry that is not in normal form would never match a password.
func TestCommonPasswords(t *testing.T) {
	passwords := strings.Fields(commonPasswords)
	seen := map[string]bool{}
	for _, p := range passwords {
		if p != strings.ToLower(normalize(p)) || seen[p] {
			t.Errorf("%q is not in normal form, or listed twice", p)
		}
		seen[p] = true
	}
	if len(passwords) < 10_000 {
		t.Errorf("only %d passwords", len(passwords))
	}
}

func TestParseEmail(t *testing.T) {
	for text, want := range map[string]string{
		"a@example.com":           "a@example.com",
		"  A.B+tag@Example.COM\n": "a.b+tag@example.com",
		"o'neil@example.com":      "o'neil@example.com",
		"søren@exämple.de":        "søren@exämple.de",
		"root@localhost":          "root@localhost",
	} {
		if got, err := ParseEmail(text); got != want || err != nil {
			t.Errorf("ParseEmail(%q) = %q, %v; want %q", text, got, err, want)
		}
	}

	for _, text := range []string{
		"", "@", "a", "a@", "@b", "a@b@c", "a b@example.com", "A <a@example.com>", "<a@example.com>",
		`"a b"@example.com`, "a@example.com, b@example.com", "a(comment)@example.com",
		"a@example.com\r\nBcc: b@example.com", "a\x00@example.com", "a\u200b@example.com", "a\u202e@example.com",
		"a.@example.com", strings.Repeat("a", 250) + "@b.de",
	} {
		if got, err := ParseEmail(text); err == nil {
			t.Errorf("ParseEmail(%q) = %q, want an error", text, got)
		}
	}
}

func FuzzParseEmail(f *testing.F) {
	for _, text := range []string{"a@example.com", " A@B.c ", `"x"@y`, "a@b@c", "İ@K.de", "a@[1.2.3.4]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		email, err := ParseEmail(text)
		if err != nil {
			return
		}
		if reparsed, err := ParseEmail(email); reparsed != email || err != nil {
			t.Errorf("ParseEmail(%q) = %q, but ParseEmail of that is %q, %v", text, email, reparsed, err)
		}
		if len(email) > maxEmailLen || strings.Count(email, "@") != 1 || strings.ContainsAny(email, " \r\n\t<>\"") {
			t.Errorf("ParseEmail(%q) = %q, which is not an email address", text, email)
		}
	})
}
