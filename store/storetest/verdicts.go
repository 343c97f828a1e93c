package storetest

import (
	"context"
	"testing"
	"time"

	"freelancer-matching/skills"
)

// VerdictStore is what the suite asks of a skills.VerdictStore beside its contract.
type VerdictStore interface {
	skills.VerdictStore
	List(ctx context.Context, at time.Time) ([]skills.KeptVerdict, error)
	DeleteExpired(ctx context.Context, at time.Time) error
}

// Verdicts runs the contract of skills.VerdictStore.
func Verdicts(t *testing.T, open func(t *testing.T) VerdictStore) {
	tests := map[string]func(t *testing.T, s VerdictStore){
		"a verdict comes back as it was kept":     keepsVerdict,
		"a verdict expires":                       expiresVerdict,
		"a verdict is replaced, and still counts": replacesVerdict,
		"the most asked verdicts come first":      ordersVerdicts,
		"what has expired is forgotten":           forgetsVerdicts,
		"an account has so many words a day":      limitsWords,
		"of many words at once the limit is kept": concurrentWords,
		"of many who ask at once all are counted": concurrentAsks,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func testVerdict() skills.Verdict {
	return skills.Verdict{
		Word: "kintsugi 金継ぎ", Kind: "skill", Name: "Kintsugi", Category: "Arts & “crafts”",
		Near: []string{"ceramics", "restoration"}, Confidence: 0.7, By: "llm:test skill-verdict@1",
	}
}

// kept is a verdict as List has it after the first ask.
func kept(key string, v skills.Verdict, at, expires time.Time) skills.KeptVerdict {
	return skills.KeptVerdict{Verdict: v, Key: key, Asked: 1, Judged: at, LastAsked: at, Expires: expires}
}

func allVerdicts(t *testing.T, s VerdictStore, at time.Time) []skills.KeptVerdict {
	t.Helper()
	all, err := s.List(t.Context(), at)
	return get(t, all, err)
}

func keepsVerdict(t *testing.T, s VerdictStore) {
	_, err := s.Verdict(t.Context(), "kintsugi", start())
	wantError(t, err, skills.ErrNoVerdict)
	neither := skills.Verdict{Word: "gnrmpf", Near: []string{}, By: "llm:test"}
	must(t, s.KeepVerdict(t.Context(), "kintsugi金継ぎ", testVerdict(), start(), after(60)))
	must(t, s.KeepVerdict(t.Context(), "gnrmpf", neither, start(), after(60)))
	for key, want := range map[string]skills.Verdict{"kintsugi金継ぎ": testVerdict(), "gnrmpf": neither} {
		got, err := s.Verdict(t.Context(), key, after(1))
		wantSame(t, want, get(t, got, err))
	}
	_, err = s.Verdict(t.Context(), "Gnrmpf", after(1))
	wantError(t, err, skills.ErrNoVerdict)
}

func expiresVerdict(t *testing.T, s VerdictStore) {
	must(t, s.KeepVerdict(t.Context(), "k", testVerdict(), start(), after(60)))
	_, err := s.Verdict(t.Context(), "k", after(59))
	must(t, err)
	_, err = s.Verdict(t.Context(), "k", after(60))
	wantError(t, err, skills.ErrNoVerdict)
	if all := allVerdicts(t, s, after(60)); len(all) != 0 {
		t.Errorf("listed: %+v", all)
	}
}

func replacesVerdict(t *testing.T, s VerdictStore) {
	must(t, s.KeepVerdict(t.Context(), "k", testVerdict(), start(), after(60)))
	_, err := s.Verdict(t.Context(), "k", after(59))
	must(t, err)
	other := skills.Verdict{Word: "K", Near: []string{}, By: "llm:other"}
	must(t, s.KeepVerdict(t.Context(), "k", other, after(70), after(90)))
	want := kept("k", other, after(70), after(90))
	want.Asked = 3
	wantSame(t, []skills.KeptVerdict{want}, allVerdicts(t, s, after(71)))
}

func ordersVerdicts(t *testing.T, s VerdictStore) {
	for _, key := range []string{"b", "c", "a"} {
		must(t, s.KeepVerdict(t.Context(), key, testVerdict(), start(), after(60)))
	}
	for n := range 2 {
		_, err := s.Verdict(t.Context(), "c", after(n))
		must(t, err)
	}
	c := kept("c", testVerdict(), start(), after(60))
	c.Asked, c.LastAsked = 3, after(1)
	want := []skills.KeptVerdict{
		c, kept("a", testVerdict(), start(), after(60)), kept("b", testVerdict(), start(), after(60)),
	}
	wantSame(t, want, allVerdicts(t, s, after(1)))
}

func forgetsVerdicts(t *testing.T, s VerdictStore) {
	must(t, s.KeepVerdict(t.Context(), "soon", testVerdict(), start(), after(60)))
	must(t, s.KeepVerdict(t.Context(), "later", testVerdict(), start(), after(61)))
	must(t, s.DeleteExpired(t.Context(), after(60)))
	// Though the time of the first has not come at the moment asked for: it is gone.
	wantSame(t, []skills.KeptVerdict{kept("later", testVerdict(), start(), after(61))}, allVerdicts(t, s, start()))
}

func limitsWords(t *testing.T, s VerdictStore) {
	for range 2 {
		must(t, s.TakeWord(t.Context(), "acc_1", "2031-05-17", 2))
	}
	wantError(t, s.TakeWord(t.Context(), "acc_1", "2031-05-17", 2), skills.ErrUsedUp)
	must(t, s.TakeWord(t.Context(), "acc_2", "2031-05-17", 2))
	must(t, s.TakeWord(t.Context(), "acc_1", "2031-05-18", 2))
	must(t, s.TakeWord(t.Context(), "acc_1", "2031-05-17", 3)) // what was refused was not counted
	wantError(t, s.TakeWord(t.Context(), "acc_1", "2031-05-17", 2), skills.ErrUsedUp)
}

func concurrentWords(t *testing.T, s VerdictStore) {
	take := func(int) error { return s.TakeWord(t.Context(), "acc_1", "2031-05-17", 7) }
	if n := atOnce(t, take, skills.ErrUsedUp); n[nil] != 7 || n[skills.ErrUsedUp] != many-7 {
		t.Errorf("of %d words: %v", many, n)
	}
}

func concurrentAsks(t *testing.T, s VerdictStore) {
	ask := func(i int) error {
		if i%2 == 0 {
			return s.KeepVerdict(t.Context(), "k", testVerdict(), start(), after(60))
		}
		_, err := s.Verdict(t.Context(), "k", start())
		return err
	}
	must(t, ask(0))
	atOnce(t, ask)
	if n := allVerdicts(t, s, start())[0].Asked; n != many+1 {
		t.Errorf("asked %d times, want %d", n, many+1)
	}
}
