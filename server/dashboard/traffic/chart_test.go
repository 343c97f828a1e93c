package traffic

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// For random counts, the bars of a day are stacked without gaps, stay inside the chart, and don't overlap the next day.
func TestChart_StacksBars(t *testing.T) {
	since := time.Date(2030, 4, 21, 0, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		var counts []usage.Count
		total := 0
		for range random.IntN(60) {
			n := 1 + random.IntN(1+random.IntN(1_000_000))
			offset := random.IntN(40) - 5
			if offset >= 0 && offset < 30 {
				total += n
			}

			status := []int{200, 403, 429, 422, 500}[random.IntN(5)]
			counts = append(counts, usage.Count{Start: since.AddDate(0, 0, offset), Status: status, Requests: n})
		}

		c := NewChart(TimeRange{Since: since, Step: page.Day, Columns: 30}, counts)
		if c.Total.Total() != total {
			t.Fatalf("the total is %d requests, want %d", c.Total.Total(), total)
		}

		for i, column := range c.Columns {
			top := float64(chartHeight)
			for _, b := range column.Bars {
				if bottom := b.Y + b.Height; math.Abs(bottom-top) > 1e-6 {
					t.Fatalf("day %d: a bar starts at %g, want %g", i, bottom, top)
				}

				if b.Y < 0 || b.X < float64(i*columnWidth) || b.X+b.Width > float64((i+1)*columnWidth) {
					t.Fatalf("day %d: %+v is outside the day's column", i, b)
				}
				top = b.Y
			}

			height := chartHeight - top
			want := float64(column.Total()) / float64(c.Top) * chartHeight
			if math.Abs(height-want) > 1e-6 {
				t.Fatalf("day %d is %g high, want %g", i, height, want)
			}
		}
	}
}

func TestRoundUp(t *testing.T) {
	for n, want := range map[int]int{
		0: 2, 1: 2, 2: 2, 3: 4, 5: 10, 11: 20, 21: 40, 41: 100, 100: 100, 1696: 2000, 4001: 10_000,
	} {
		if got := roundUp(n); got != want {
			t.Errorf("roundUp(%d) = %d, want %d", n, got, want)
		}
	}
}
