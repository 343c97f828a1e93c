package ratings

import "testing"

func TestHeaderScale(t *testing.T) {
	for header, want := range map[string]float64{
		"Rating (0-10)": 10, "score /100": 100, "stars out of 5": 5, "Rating (%)": 100, "rating 1–5": 5, "note sur 10": 10,
		"Rating": 0, "rating 5": 0, "5 star rating": 0, "Top 10 rating": 0, "rating_2015": 0, "rating v10": 0,
	} {
		if got := HeaderScale(header); got != want {
			t.Errorf("headerScale(%q) = %v, want %v", header, got, want)
		}
	}
}
