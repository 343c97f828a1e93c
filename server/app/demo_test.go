package app_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/api/wire"
)

// Each kind of filter lets some freelancers of the demo pass, and excludes others for their values.
func TestDemo_Filters(t *testing.T) {
	s := startDemo(t, config.Default())
	for _, filter := range []string{
		`{"countries": ["DE", "AT"]}`,
		`{"languages": [{"language": "de", "min_level": "C1"}]}`,
		`{"time_zone": {"zone": "Europe/Berlin", "within_hours": 2}}`,
		`{"available_by": "2027-03-01"}`,
		`{"verified": true}`,
		`{"max_hourly_rate": 60}`,
	} {
		var answer wire.MatchAnswer
		body := s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match",
			`{"description": "Online shop with React and Node.js", "complexity": "medium", "filters": `+filter+`}`)
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatal(err)
		}

		if len(answer.Matches) != 10 || len(answer.Filters) != 1 || answer.Filters[0].Unknown == answer.Filters[0].Excluded {
			t.Errorf("%s: %d matches, filters %+v", filter, len(answer.Matches), answer.Filters)
		}
	}
}
