//go:build integration

package attacks

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/internal/dataset"
	"github.com/freelancer-matching/service/internal/synthetic"
)

// The limits of the plan freelancer.
const (
	freePerMinute = 100
	freePerDay    = 500
	freeDepth     = 100 // offset + limit
)

// A scraper collects the freelancers in all responses to one key.
type scraper struct {
	*programs.Server
	seen map[string]bool
}

func newScraper(s *programs.Server, key string) *scraper {
	attacker := *s
	attacker.Key = key
	return &scraper{&attacker, map[string]bool{}}
}

// match requests a page and returns the status, the error code and the number of freelancers.
func (s *scraper) match(t *testing.T, body string) (status int, code string, shown int) {
	t.Helper()
	status, response := s.Call(t, http.MethodPost, "/api/v1/match", body)
	list, _ := response["matches"].([]any)
	for _, m := range list {
		s.seen[m.(map[string]any)["freelancer"].(map[string]any)["id"].(string)] = true
	}
	if failure, ok := response["error"].(map[string]any); ok {
		code = failure["code"].(string)
	}
	return status, code, len(list)
}

// scrape spends n requests on pages of as many briefs as it can think of. It returns the error codes that it got.
func (s *scraper) scrape(t *testing.T, n int) map[string]int {
	t.Helper()
	words := strings.Fields("go java python react node php design writing seo data cloud mobile android ios video audio " +
		"photo law tax sales support translation marketing excel wordpress shopify figma docker kubernetes linux")
	codes := map[string]int{}
	for i := range n {
		body := fmt.Sprintf(`{"description":%q,"limit":%d,"offset":%d,"explain":true}`, words[i%len(words)], 100/(1+i%3), i%5)
		_, code, _ := s.match(t, body)
		codes[code]++
	}
	return codes
}

// load fills a data folder with generated freelancers.
func load(t *testing.T, data string, n int) {
	t.Helper()
	generator, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "freelancers.csv")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteCSV(file, generator.Freelancers(n, 1)); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	programs.Run(t, "indexer", "load", path, "-data", data)
}

var (
	metricsPattern = regexp.MustCompile(`http://127\.0\.0\.1:\d+/metrics`)
	refusedPattern = regexp.MustCompile(
		`(?m)^matching_freelancer_views_total\{outcome="refused",plan="freelancer"\} (\S+)$`)
)

// metricsAddress returns the address of a server's metrics. The log has it, which can arrive after the greeting that
// says that the server is ready.
func metricsAddress(t *testing.T, s *programs.Server) (address string) {
	t.Helper()
	programs.Eventually(t, "logging the address of the metrics", func() bool {
		address = metricsPattern.FindString(s.Log.String())
		return address != ""
	})
	return address
}

// refused returns how many freelancers the server's metrics count as refused.
func refused(t *testing.T, s *programs.Server) float64 {
	t.Helper()
	response, err := http.Get(metricsAddress(t, s))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}

	found := refusedPattern.FindSubmatch(body)
	if found == nil {
		return 0
	}

	n, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		t.Fatal(err)
	}

	return n
}

// With the 100 requests of one minute, a self-registered account once read 7,448 of 20,000 freelancers. It now sees at
// most the daily limit of its plan, however it pages, and killing the server grants nothing.
func TestScraping(t *testing.T) {
	day := time.Now().UTC().Day()
	defer func() {
		if t.Failed() && time.Now().UTC().Day() != day {
			t.Log("the day (UTC) ended during the test, so accounts could see as many freelancers again")
		}
	}()

	data := t.TempDir()
	load(t, data, 5000)
	freeKey := func() string { return programs.NewKey(t, data, "-plan", "freelancer") }
	flags := []string{"-data", data, "-metrics-addr", "127.0.0.1:0"}
	server := programs.Start(t, flags...)
	attacker := newScraper(server, freeKey())

	codes := attacker.scrape(t, freePerMinute/2)
	if len(attacker.seen) > freePerDay || len(attacker.seen) < freePerDay*3/4 || codes["freelancer_limit_exceeded"] == 0 {
		t.Errorf("the key saw %d freelancers, want at most %d and nearly as many; codes %v", len(attacker.seen), freePerDay,
			codes)
	}

	if refused(t, server) == 0 {
		t.Error("no metric shows the attack")
	}

	if !strings.Contains(server.Log.String(), "daily limit of freelancers reached") {
		t.Error("the log doesn't show who attacks")
	}

	if err := server.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}

	_ = server.Cmd.Wait() // reports the kill
	restarted := programs.Start(t, flags...)
	again := newScraper(restarted, attacker.Key)
	again.seen = attacker.seen
	codes = again.scrape(t, freePerMinute/2)
	if codes["freelancer_limit_exceeded"] == 0 {
		t.Errorf("after kill -9, no request was over the limit; codes %v", codes)
	}

	if len(again.seen) > freePerDay {
		t.Errorf("after kill -9, the key saw %d freelancers on one day, want at most %d", len(again.seen), freePerDay)
	}

	other := newScraper(restarted, freeKey())
	if status, code, shown := other.match(t, `{"description":"go","limit":50}`); status != http.StatusOK || shown == 0 {
		t.Errorf("another account got %d %s", status, code)
	}

	deep := fmt.Sprintf(`{"description":"go","limit":50,"offset":%d}`, freeDepth-49)
	if status, code, _ := other.match(t, deep); status != http.StatusUnprocessableEntity || code != "validation_failed" {
		t.Errorf("a page deeper than %d: %d %s, want 422 validation_failed", freeDepth, status, code)
	}
}
