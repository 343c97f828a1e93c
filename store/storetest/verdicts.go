package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/freelancer-matching/service/skills"
)

// A VerdictStore is a skills.VerdictStore whose verdicts can be listed.
type VerdictStore interface {
	skills.VerdictStore
	List(ctx context.Context, at time.Time) ([]skills.KeptVerdict, error)
	DeleteExpired(ctx context.Context, at time.Time) error
	Delete(ctx context.Context, key string) error
}

// Verdicts tests a skills.VerdictStore.
func Verdicts(t *testing.T, open func(t *testing.T) VerdictStore) {
	suite[VerdictStore]{
		"a verdict is read as kept":                            verdictRoundTrip,
		"a verdict expires":                                    verdictExpires,
		"a replaced verdict keeps its count":                   replacesVerdict,
		"verdicts are listed by how often they were asked for": listsVerdicts,
		"expired verdicts are deleted":                         deletesExpiredVerdicts,
		"one verdict is deleted":                               deletesVerdict,
		"the words of an account and day are limited":          limitsWords,
		"concurrent calls respect the limit of words":          concurrentWords,
		"concurrent queries are all counted":                   concurrentQueries,
	}.run(t, open)
}

func testVerdict() skills.Verdict {
	return skills.Verdict{
		Word: "kintsugi 金継ぎ", Kind: "skill", Name: "Kintsugi", Category: "Arts & “crafts”",
		Near: []string{"ceramics", "restoration"}, Confidence: 0.7, By: "llm:test skill-verdict@1",
	}
}

// kept returns a verdict as listed before any further query.
func kept(key string, v skills.Verdict, at, expires time.Time) skills.KeptVerdict {
	return skills.KeptVerdict{Verdict: v, Key: key, Asked: 1, Judged: at, LastAsked: at, Expires: expires}
}

func allVerdicts(t *testing.T, s VerdictStore, at time.Time) []skills.KeptVerdict {
	t.Helper()
	return must(s.List(t.Context(), at))
}

func verdictRoundTrip(t *testing.T, s VerdictStore) {
	_, err := s.Verdict(t.Context(), "kintsugi", start())
	wantError(t, err, skills.ErrNoVerdict)
	neither := skills.Verdict{Word: "gnrmpf", By: "llm:test"}
	noError(t, s.KeepVerdict(t.Context(), "kintsugi金継ぎ", testVerdict(), start(), after(60)))
	noError(t, s.KeepVerdict(t.Context(), "gnrmpf", neither, start(), after(60)))
	for key, want := range map[string]skills.Verdict{"kintsugi金継ぎ": testVerdict(), "gnrmpf": neither} {
		wantEqual(t, want, must(s.Verdict(t.Context(), key, after(1))))
	}
	_, err = s.Verdict(t.Context(), "Gnrmpf", after(1))
	wantError(t, err, skills.ErrNoVerdict)
}

func verdictExpires(t *testing.T, s VerdictStore) {
	noError(t, s.KeepVerdict(t.Context(), "k", testVerdict(), start(), after(60)))
	_, err := s.Verdict(t.Context(), "k", after(59))
	noError(t, err)
	_, err = s.Verdict(t.Context(), "k", after(60))
	wantError(t, err, skills.ErrNoVerdict)
	if all := allVerdicts(t, s, after(60)); len(all) != 0 {
		t.Errorf("an expired verdict is listed: %+v", all)
	}
}

func replacesVerdict(t *testing.T, s VerdictStore) {
	noError(t, s.KeepVerdict(t.Context(), "k", testVerdict(), start(), after(60)))
	_, err := s.Verdict(t.Context(), "k", after(59))
	noError(t, err)
	other := skills.Verdict{Word: "K", By: "llm:other"}
	noError(t, s.KeepVerdict(t.Context(), "k", other, after(70), after(90)))
	want := kept("k", other, after(70), after(90))
	want.Asked = 3
	wantEqual(t, []skills.KeptVerdict{want}, allVerdicts(t, s, after(71)))
}

func listsVerdicts(t *testing.T, s VerdictStore) {
	for _, key := range []string{"b", "c", "a"} {
		noError(t, s.KeepVerdict(t.Context(), key, testVerdict(), start(), after(60)))
	}
	for n := range 2 {
		_, err := s.Verdict(t.Context(), "c", after(n))
		noError(t, err)
	}
	c := kept("c", testVerdict(), start(), after(60))
	c.Asked, c.LastAsked = 3, after(1)
	want := []skills.KeptVerdict{
		c, kept("a", testVerdict(), start(), after(60)), kept("b", testVerdict(), start(), after(60)),
	}
	wantEqual(t, want, allVerdicts(t, s, after(1)))
}

func deletesExpiredVerdicts(t *testing.T, s VerdictStore) {
	noError(t, s.KeepVerdict(t.Context(), "soon", testVerdict(), start(), after(60)))
	noError(t, s.KeepVerdict(t.Context(), "later", testVerdict(), start(), after(61)))
	noError(t, s.DeleteExpired(t.Context(), after(60)))
	// The first one is deleted although it is not expired at start.
	wantEqual(t, []skills.KeptVerdict{kept("later", testVerdict(), start(), after(61))}, allVerdicts(t, s, start()))
}

func limitsWords(t *testing.T, s VerdictStore) {
	for range 2 {
		noError(t, s.TakeWord(t.Context(), "acc_1", "2031-05-17", 2))
	}
	wantError(t, s.TakeWord(t.Context(), "acc_1", "2031-05-17", 2), skills.ErrUsedUp)
	noError(t, s.TakeWord(t.Context(), "acc_2", "2031-05-17", 2))
	noError(t, s.TakeWord(t.Context(), "acc_1", "2031-05-18", 2))
	noError(t, s.TakeWord(t.Context(), "acc_1", "2031-05-17", 3)) // the refused word was not counted
	wantError(t, s.TakeWord(t.Context(), "acc_1", "2031-05-17", 2), skills.ErrUsedUp)
}

func concurrentWords(t *testing.T, s VerdictStore) {
	take := func(int) error { return s.TakeWord(t.Context(), "acc_1", "2031-05-17", 7) }
	if n := concurrently(t, take, skills.ErrUsedUp); n[nil] != 7 || n[skills.ErrUsedUp] != callers-7 {
		t.Errorf("results %v, want 7 words of %d", n, callers)
	}
}

func concurrentQueries(t *testing.T, s VerdictStore) {
	ask := func(i int) error {
		if i%2 == 0 {
			return s.KeepVerdict(t.Context(), "k", testVerdict(), start(), after(60))
		}
		_, err := s.Verdict(t.Context(), "k", start())
		return err
	}
	noError(t, ask(0))
	concurrently(t, ask)
	if n := allVerdicts(t, s, start())[0].Asked; n != callers+1 {
		t.Errorf("asked for %d times, want %d", n, callers+1)
	}
}
