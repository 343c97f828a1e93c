package account

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The hash is that of the reference implementation (phc-winner-argon2, test.c).
func TestMatches_ReadsHashesOfOthers(t *testing.T) {
	const stored = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	h := newHasher(currentParams())
	if same, outdated, err := h.matches(stored, "password"); !same || !outdated || err != nil {
		t.Errorf("got %v, %v, %v; want the password, at another cost", same, outdated, err)
	}
	if same, _, err := h.matches(stored, "Password"); same || err != nil {
		t.Errorf("another password: %v, %v", same, err)
	}
}

func TestHash_IsSaltedAndOfTheCostOfNow(t *testing.T) {
	h := newHasher(currentParams())
	first, second := h.hash("correct horse"), h.hash("correct horse")
	if first == second || !strings.HasPrefix(first, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("%s and %s", first, second)
	}
	if same, outdated, err := h.matches(first, "correct horse"); !same || outdated || err != nil {
		t.Errorf("got %v, %v, %v", same, outdated, err)
	}
	if same, _, err := h.matches(h.dummy, "correct horse"); same || err != nil {
		t.Errorf("the hash of no password: %v, %v", same, err)
	}
}

// One keyboard writes é as a letter, another as e and an accent.
func TestHash_TakesALetterForItselfHoweverComposed(t *testing.T) {
	h := newHasher(params{memory: 8, time: 1, lanes: 1})
	if same, _, err := h.matches(h.hash("caf\u00e9 au lait"), "cafe\u0301 au lait"); !same || err != nil {
		t.Errorf("got %v, %v", same, err)
	}
}

func TestParseEncoded_Refuses(t *testing.T) {
	const salt, key = "c29tZXNhbHRzYWx0", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if _, err := parseEncoded("$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + key); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", "hunter2", "$2a$10$N9qo8uLOickgx2ZMRZoMye",
		"$argon2i$v=19$m=19456,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=16$m=19456,t=2,p=1$" + salt + "$" + key,
		"$argon2id$m=19456,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$t=2,m=19456,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2$" + salt + "$" + key,
		"$argon2id$v=19$m=019456,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=0,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=7,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=4294967295,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=4294967295,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2,p=256$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$",
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "=$" + key,
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + key + "\n",
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + key + "$",
	} {
		if e, err := parseEncoded(text); err == nil {
			t.Errorf("%q was read as %v", text, e)
		} else if text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("the error tells the hash: %v", err)
		}
	}
}

func FuzzParseEncoded(f *testing.F) {
	f.Add("$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzYWx0$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
	f.Add("$argon2id$v=19$m=,t=,p=$$")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseEncoded(text)
		if err != nil {
			return
		}
		if e.String() != text {
			t.Errorf("%q is written as %q", text, e)
		}
		if e.memory > maxMemory || e.time > maxTime || e.lanes > maxLanes || e.time < 1 || e.lanes < 1 || e.memory < 8*uint32(e.lanes) {
			t.Errorf("%q would cost %+v", text, e.params)
		}
	})
}

func TestCheckPassword(t *testing.T) {
	tests := []struct{ name, password, want string }{
		{"a few words", "purple otter under the stairs", ""},
		{"ten characters", "kTp4wq!z0x", ""},
		{"small letters alone", "zgwnmapqov", ""},
		{"ten characters of another script", "пароль для входа", ""},
		{"spaces are characters", "a b c d e f", ""},
		{"two hundred", strings.Repeat("abcdefghi.", 20), ""},
		{"nine characters", "kTp4wq!z0", "too_short"},
		{"nine characters of many bytes", "пароль123", "too_short"},
		{"nothing", "", "too_short"},
		{"too long", strings.Repeat("abcdefghi.", 20) + "x", "too_long"},
		{"too long by a lot", strings.Repeat("x", 100_000), "too_long"},
		{"not UTF-8", "\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff\xfe", "invalid"},
		{"one that everyone tries", "password123", "too_common"},
		{"in other letters", "PassWord123", "too_common"},
		{"in wide letters", "ｐassword123", "too_common"},
		{"the address", "someone.else@example.com", "too_common"},
		{"the address in other letters", "Someone.Else@Example.com", "too_common"},
		{"the name in the address", "someone.else", "too_common"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if faults := checkPassword(tt.password, "someone.else@example.com"); len(faults) > 0 {
				got = faults[0].Code
				if tt.password != "" && strings.Contains(faults[0].Message, tt.password) {
					t.Error("the message holds the password")
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A line that is too short, or not as passwords are compared, would never be found.
func TestCommon_HoldsOnlyWhatCanBeFound(t *testing.T) {
	words := strings.Fields(common)
	seen := map[string]bool{}
	for _, w := range words {
		if utf8.RuneCountInString(w) < minPassword || w != strings.ToLower(string(canonical(w))) || seen[w] {
			t.Errorf("%q is too short, not in its one form, or there twice", w)
		}
		seen[w] = true
	}
	if len(words) < 300 {
		t.Errorf("only %d words", len(words))
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
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "@", "a", "a@", "@b", "a@b@c", "a b@example.com", "A <a@example.com>", "<a@example.com>", `"a b"@example.com`,
		"a@example.com, b@example.com", "a(comment)@example.com", "a@example.com\r\nBcc: b@example.com", "a\x00@example.com",
		"a\u200b@example.com", "a\u202e@example.com", "a.@example.com", strings.Repeat("a", 250) + "@b.de",
	} {
		if got, err := ParseEmail(text); err == nil {
			t.Errorf("%q was accepted as %q", text, got)
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
		if again, err := ParseEmail(email); again != email || err != nil {
			t.Errorf("%q is %q, then %q, %v", text, email, again, err)
		}
		if len(email) > maxEmail || strings.Count(email, "@") != 1 || strings.ContainsAny(email, " \r\n\t<>\"") {
			t.Errorf("%q was accepted as %q", text, email)
		}
	})
}
