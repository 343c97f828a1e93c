package api

import (
	"context"
	"net/http"
	"testing"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/openapi"
)

func healthIs(change func(*wire.Components)) func(*fixture) {
	return func(f *fixture) {
		f.Health = healthFunc(func(context.Context) wire.Components {
			c := goodHealth()
			change(&c)
			return c
		})
	}
}

// degraded makes the data source work in part.
func degraded(f *fixture) {
	healthIs(func(c *wire.Components) {
		c.DataSource.Status = wire.StatusDegraded
		c.DataSource.Error = "Damaged records: 1."
	})(f)
}

func TestHealth(t *testing.T) {
	run(t, []call{
		{
			name: "healthy", method: http.MethodGet, path: healthPath, status: 200,
			want: []string{
				`{"status":"healthy","components":{"data_source":{"status":"healthy","type":"csv","freelancer_count":1000,` +
					`"engine":"embedded","index":"freelancers-v1-x","indexed_at":"2031-05-17T09:30:00Z"},` +
					`"skill_extractor":{"status":"ready","skills":12000},"database":{"status":"connected","type":"sqlite"},` +
					`"llm":{"status":"offline"}},"request_id":`,
			},
		},
		{
			name: "without data", method: http.MethodGet, path: healthPath, status: 200,
			change: healthIs(func(c *wire.Components) {
				c.DataSource = wire.DataSource{Status: wire.StatusHealthy, Type: "none", Engine: "embedded"}
			}),
			want:  []string{`"status":"healthy"`, `"type":"none","freelancer_count":0`},
			never: []string{"indexed_at"},
		},
		{
			name: "language model unreachable", method: http.MethodGet, path: healthPath, status: 200,
			change: healthIs(func(c *wire.Components) { c.LLM = wire.LLM{Status: wire.StatusUnreachable, Error: "no answer"} }),
			want:   []string{`{"status":"healthy"`, `"llm":{"status":"unreachable","error":"no answer"}`},
		},
		{
			name: "damaged records", method: http.MethodGet, path: healthPath, status: 200, change: degraded,
			want: []string{
				`{"status":"degraded"`, `"status":"degraded","type":"csv"`, `"error":"Damaged records: 1."`,
				`"degraded_components":["data_source"],"detail":"Degraded components: data_source."`,
			},
			never: []string{"unhealthy_components"},
		},
		{
			name: "current exchange rates", method: http.MethodGet, path: healthPath, status: 200,
			change: healthIs(func(c *wire.Components) {
				c.ExchangeRates = &wire.ExchangeRates{Status: wire.StatusCurrent, Date: "2026-11-20"}
			}),
			want:  []string{`{"status":"healthy"`, `"exchange_rates":{"status":"current","date":"2026-11-20"}`},
			never: []string{"degraded"},
		},
		{
			name: "outdated exchange rates", method: http.MethodGet, path: healthPath, status: 200,
			change: healthIs(func(c *wire.Components) {
				c.ExchangeRates = &wire.ExchangeRates{Status: wire.StatusOutdated, Date: "2026-01-20"}
			}),
			want: []string{`{"status":"degraded"`, `"degraded_components":["exchange_rates"]`},
		},
		{
			name: "two failing components", method: http.MethodGet, path: healthPath, status: 503,
			change: healthIs(func(c *wire.Components) {
				c.DataSource.Status = wire.StatusError
				c.DataSource.Error = "The index cannot be read."
				c.Database.Status = wire.StatusError
			}),
			want: []string{
				`{"status":"unhealthy"`, `"error":"The index cannot be read."`, `"unhealthy_components":["data_source","database"]`,
				`"detail":"Unhealthy components: data_source, database."`,
			},
		},
		{
			name: "failing extractor", method: http.MethodGet, path: healthPath, status: 503,
			change: healthIs(func(c *wire.Components) { c.SkillExtractor.Status = wire.StatusError }),
			want:   []string{`"unhealthy_components":["skill_extractor"]`},
		},
		{name: "another method", path: healthPath, status: 405, code: endpoint.CodeMethodNotAllowed},
		{
			name: "no key", method: http.MethodGet, path: healthPath, status: 401, code: apikey.CodeMissing,
			header: http.Header{"X-Api-Key": nil},
		},
	})
}

func TestProbes(t *testing.T) {
	noKey := http.Header{"X-Api-Key": nil}
	broken := healthIs(func(c *wire.Components) { c.Database.Status = wire.StatusError })
	run(t, []call{
		{
			name: "alive", method: http.MethodGet, path: "/livez", header: noKey, status: 200,
			want: []string{`{"status":"alive"}`},
		},
		{name: "alive despite failures", method: http.MethodGet, path: "/livez", header: noKey, status: 200, change: broken},
		{
			name: "ready", method: http.MethodGet, path: "/readyz", header: noKey, status: 200,
			want: []string{`{"status":"ready"}`},
		},
		{
			name: "ready with damaged records", method: http.MethodGet, path: "/readyz", header: noKey, status: 200,
			change: degraded, want: []string{`{"status":"ready","degraded_components":["data_source"]}`},
		},
		{
			name: "not ready", method: http.MethodGet, path: "/readyz", header: noKey, status: 503, change: broken,
			want: []string{`{"status":"unhealthy","unhealthy_components":["database"]}`},
		},
		{
			name: "specification", method: http.MethodGet, path: "/openapi.yaml", header: noKey, status: 200,
			want: []string{string(openapi.YAML())},
		},
	})
}

func TestDrain_OnlyFailsReadiness(t *testing.T) {
	s := New(newFixture().Dependencies)
	s.Drain()
	for _, c := range []call{
		{method: http.MethodGet, path: "/readyz", status: 503, want: []string{`{"status":"draining"}`}},
		{method: http.MethodGet, path: "/livez", status: 200},
		{method: http.MethodGet, path: healthPath, status: 200},
		{status: 200},
	} {
		c.sendTo(t, s.Handler())
	}
}
