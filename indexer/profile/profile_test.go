package profile

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

func of(values ...float64) *distribution {
	d := &distribution{}
	for _, v := range values {
		d.add(matching.Some(v))
	}
	return d
}

func repeat(n int, v float64) (list []float64) {
	for range n {
		list = append(list, v)
	}
	return list
}

func TestHistogram(t *testing.T) {
	tests := []struct {
		name          string
		d             *distribution
		minStep, last float64
		want          Histogram
	}{
		{"nothing", of(), 1, 0, Histogram{Step: 1}},
		{"zeros", of(0, 0), 1, 0, Histogram{Known: 2, Step: 1, Bins: []int{2}}},
		{"one value", of(5), 1, 0, Histogram{Known: 1, Median: 5, Step: 1, Bins: []int{0, 0, 0, 0, 0, 1}}},
		{"ratings", of(5, 4.75, 4.9, 0, 2.5), .25, 5, Histogram{
			Known: 5, Median: 4.75, Step: .25, Bins: []int{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 3},
		}},
		{"outlier", of(append(repeat(200, 10), 1e6)...), 1, 0, Histogram{
			Known: 201, Median: 10, Step: 1, Bins: []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 200}, Above: 1,
		}},
		{"steps", of(append(repeat(99, 45), 3)...), 0, 0, Histogram{
			Known: 100, Median: 45, Step: 2,
			Bins: []int{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 99},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.d.histogram(test.minStep, test.last)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Every known value is in exactly one bin, and there are few bins, whatever the values are.
func TestHistogram_Bounded(t *testing.T) {
	for _, scale := range []float64{1e-3, .1, 1, 77, 1e6, 1e15, math.MaxFloat64 / 1e6} {
		d := &distribution{}
		for i := range 100_000 {
			d.add(matching.Some(float64(i) * scale))
		}

		if len(d.counts) > 10_000 {
			t.Errorf("scale %g: %d values are counted", scale, len(d.counts))
		}
		h := d.histogram(0, 0)
		sum := h.Above
		for _, n := range h.Bins {
			sum += n
		}

		if sum != h.Known || len(h.Bins) > maxBins+1 {
			t.Errorf("scale %g: %d of %d values in %d bins", scale, sum, h.Known, len(h.Bins))
		}
	}

	d := of(math.NaN(), math.Inf(-1), -5)
	if h := d.histogram(1, 0); h.Bins[0] != 3 {
		t.Errorf("impossible values: %+v", h)
	}
}

func TestTopSkills(t *testing.T) {
	p := &Profile{}
	for i := range 50_000 { // more different skills than are counted
		skills := []string{fmt.Sprintf("rare %d", i), "Go"}
		if i%2 == 0 {
			skills[1] = "SQL"
		}

		if i%10 == 0 {
			skills[1] = "go"
		}
		p.Add(&matching.Freelancer{Skills: skills})
	}

	top, uncertainty := p.TopSkills(2)
	if len(top) != 2 || top[0].Name != "go" || top[1].Name != "SQL" {
		t.Fatalf("top skills %+v", top)
	}

	if real := 30_000; top[0].Freelancers > real || top[0].Freelancers+uncertainty < real {
		t.Errorf("%d freelancers with an uncertainty of %d, want %d", top[0].Freelancers, uncertainty, real)
	}

	if len(p.skills.counts) > maxSkills {
		t.Errorf("%d skills are counted", len(p.skills.counts))
	}

	if h := p.SkillCounts(); h.Median != 2 || h.Known != 50_000 {
		t.Errorf("skills per freelancer: %+v", h)
	}

	if h := p.Rates(); h.Known != 0 || h.Unknown != 50_000 {
		t.Errorf("rates: %+v", h)
	}
}
