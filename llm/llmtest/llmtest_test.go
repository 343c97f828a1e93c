package llmtest_test

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/llm/llmtest"
)

func TestVector_CommonWords(t *testing.T) {
	const dimensions = 256
	tests := []struct{ text, near, far string }{
		{"go developer", "Senior Go developer", "logo design"},
		{"wordpress theme", "theme for WordPress", "tax advice"},
		{"c++", "C", "rust"},
	}
	for _, test := range tests {
		text := llmtest.Vector(test.text, dimensions)
		near := cosine(text, llmtest.Vector(test.near, dimensions))
		far := cosine(text, llmtest.Vector(test.far, dimensions))
		if near < .5 || math.Abs(far) > .3 {
			t.Errorf("%q: got %q at %.2f and %q at %.2f", test.text, test.near, near, test.far, far)
		}
	}
}

// Other tests rely on the same vectors on every machine.
func TestVector_IsStable(t *testing.T) {
	tests := []struct {
		text string
		want []float32
	}{
		{"Go", []float32{-0.7540412, 0.48892874, -0.71875745}},
		{"go go", []float32{-1.5080824, 0.9778575, -1.4375149}},
		{"?!", []float32{-0.32544062, 0.6653361, -2.892898}},
		{"", []float32{-0.45053065, 1.2911587, 0.053399168}},
	}
	for _, test := range tests {
		got := llmtest.Vector(test.text, 3)
		near := cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 })
		if diff := cmp.Diff(test.want, got, near); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

// Scripted faults come first and in order, then Always applies. Every request is recorded.
func TestServer_FollowsItsScript(t *testing.T) {
	ways := map[string]func(testing.TB, int) *llmtest.Server{"port": llmtest.Start, "memory": llmtest.StartInMemory}
	for name, start := range ways {
		t.Run(name, func(t *testing.T) {
			s := start(t, 4)
			s.Always(llmtest.Status(http.StatusTeapot, "tea", ""))
			s.Script(llmtest.Status(http.StatusTooManyRequests, "slow down", "3"), nil)
			client := &http.Client{Transport: s.Transport}
			for i, want := range []int{http.StatusTooManyRequests, http.StatusOK, http.StatusTeapot, http.StatusTeapot} {
				body := strings.NewReader(`{"model":"words","input":["go"]}`)
				response, err := client.Post(s.URL+"/embeddings", "application/json", body)
				if err != nil {
					t.Fatal(err)
				}

				response.Body.Close()
				if response.StatusCode != want {
					t.Errorf("request %d: got %d, want %d", i, response.StatusCode, want)
				}
			}

			requests := s.Requests()
			if len(requests) != 4 || requests[0].Path != "/v1/embeddings" ||
				!strings.Contains(string(requests[3].Body), `"go"`) {
				t.Errorf("got requests %v", requests)
			}
		})
	}
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}
