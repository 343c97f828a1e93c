package events

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLesson(t *testing.T) {
	l := Lesson{Upper: 2, Brief: 1<<63 + 5}
	for i := range MaxLesson + 2 {
		l.Parts = append(l.Parts, []float64{float64(i) / 2, .25, 0})
	}

	text := l.Encode()
	if want := lessonHeader + MaxLesson*3*valueSize; len(text) != want {
		t.Errorf("%d bytes, want %d", len(text), want)
	}
	got, err := ReadLesson(text)
	if err != nil {
		t.Fatal(err)
	}
	l.Parts = l.Parts[:MaxLesson]
	if diff := cmp.Diff(&l, got); diff != "" {
		t.Error(diff)
	}

	for _, damaged := range [][]byte{nil, text[:5], text[:len(text)-1], append([]byte{9}, text[1:]...)} {
		if _, err := ReadLesson(damaged); err == nil {
			t.Errorf("%v is read", damaged)
		}
	}
}

// Somebody who is erased leaves no values, and the others keep their places.
func TestMatch_Forget(t *testing.T) {
	l := Lesson{Upper: 1, Parts: [][]float64{{1, 2}, {3, 4}, {5, 6}}}
	m := Match{Freelancers: []uint64{7, 8, 9, 10}, Lesson: l.Encode()}
	m.Forget(3) // not part of the lesson
	m.Forget(1)
	got, err := ReadLesson(m.Lesson)
	if err != nil {
		t.Fatal(err)
	}
	l.Parts[1] = nil
	if diff := cmp.Diff(&l, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]uint64{7, 0, 9, 0}, m.Freelancers); diff != "" {
		t.Error(diff)
	}

	m.Forget(0)
	m.Forget(2)
	if m.Lesson != nil {
		t.Error("a lesson remains of a response whose first freelancer was erased")
	}
}

func TestGains(t *testing.T) {
	got := Gains(join(ranked("a", 1, Shown), ranked("b", 2, Clicked, Contacted), ranked("c", 3, Hired),
		ranked("d", 4, Contacted, Rejected), ranked("e", 5, Clicked)))
	if diff := cmp.Diff(map[string]float64{"b": 2. / 3, "c": 1, "e": 1. / 3}, got); diff != "" {
		t.Error(diff)
	}
}
