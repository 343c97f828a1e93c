package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/api/wire"
)

// The operator's table of rates lets clients use its currencies. Its age is in /health, and its date in responses.
func TestExchangeRates(t *testing.T) {
	const inEuros = `{"description":"React shop","complexity":"low","currency":"EUR","filters":{"max_cost":2000}}`
	c := config.Default()
	without := startDemo(t, c)
	refused := without.send(t, http.StatusUnprocessableEntity, http.MethodPost, "/api/v1/match", inEuros)
	if !strings.Contains(refused, "Use USD") || !strings.Contains(refused, "exchange-rates") {
		t.Errorf("without rates: %s", refused)
	}

	health := without.send(t, http.StatusOK, http.MethodGet, "/api/v1/health", "")
	if strings.Contains(health, "exchange_rates") {
		t.Errorf("without rates: %s", health)
	}

	c.ExchangeRates.File = filepath.Join(t.TempDir(), "rates.json")
	for _, table := range []struct {
		date   time.Time
		status string
	}{
		{time.Now(), "healthy"},
		{time.Now().AddDate(0, 0, -30), "degraded"},
	} {
		date := table.date.UTC().Format(time.DateOnly)
		text := fmt.Sprintf(`{"date": %q, "base": "EUR", "rates": {"USD": 1.25}}`, date)
		if err := os.WriteFile(c.ExchangeRates.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		s := startDemo(t, c)
		var answer wire.MatchAnswer
		body := s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", inEuros)
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatal(err)
		}

		rate := answer.ExchangeRate
		if rate == nil || rate.Date != date || rate.Rate != .8 || answer.Currency != "EUR" ||
			answer.HourlyRateCurrency != "USD" || answer.Matches[0].Estimate.Currency != "EUR" {
			t.Errorf("in euros: %s", body)
		}

		health := s.send(t, http.StatusOK, http.MethodGet, "/api/v1/health", "")
		if !strings.Contains(health, `{"status":"`+table.status+`"`) || !strings.Contains(health, `"date":"`+date+`"`) {
			t.Errorf("want %s with rates of %s: %s", table.status, date, health)
		}
		warned := strings.Contains(s.log.String(), "exchange rates are not current")
		if warned != (table.status == "degraded") {
			t.Errorf("rates of %s: warning logged: %v\n%s", date, warned, s.log)
		}
	}
}
