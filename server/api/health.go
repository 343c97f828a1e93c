package api

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/wire"
)

// Health checks the components of the service. Check must return quickly.
type Health interface {
	Check(ctx context.Context) wire.Components
}

// probes handles the operations about the server itself.
type probes struct {
	health   Health
	draining *atomic.Bool
}

// status handles GET /health.
func (h *probes) status(ctx context.Context, call *endpoint.Call) error {
	components := h.health.Check(ctx)
	answer := wire.HealthAnswer{
		Status: "healthy", Components: components, RequestID: call.ID,
		UnhealthyComponents: components.Unhealthy(), DegradedComponents: components.Degraded(),
	}

	status := http.StatusOK
	switch {
	case len(answer.UnhealthyComponents) > 0:
		status = http.StatusServiceUnavailable
		answer.Status = "unhealthy"
		answer.Detail = "Unhealthy components: " + strings.Join(answer.UnhealthyComponents, ", ") + "."
	case len(answer.DegradedComponents) > 0:
		answer.Status = "degraded"
		answer.Detail = "Degraded components: " + strings.Join(answer.DegradedComponents, ", ") + "."
	}

	answer.TookMS = call.TookMS()
	return call.WriteJSON(status, endpoint.JSONType, answer)
}

// live handles GET /livez. It reports that the process responds, whatever the state of its dependencies.
func (h *probes) live(_ context.Context, call *endpoint.Call) error {
	return call.WriteJSON(http.StatusOK, endpoint.JSONType, wire.ProbeAnswer{Status: "alive"})
}

// ready handles GET /readyz. It reports whether load balancers should send requests here. A degraded server still
// answers, and taking it out of service would not repair it.
func (h *probes) ready(ctx context.Context, call *endpoint.Call) error {
	if h.draining.Load() {
		return call.WriteJSON(http.StatusServiceUnavailable, endpoint.JSONType, wire.ProbeAnswer{Status: "draining"})
	}

	components := h.health.Check(ctx)
	if names := components.Unhealthy(); len(names) > 0 {
		return call.WriteJSON(http.StatusServiceUnavailable, endpoint.JSONType, wire.ProbeAnswer{
			Status: "unhealthy", UnhealthyComponents: names, DegradedComponents: components.Degraded(),
		})
	}
	return call.WriteJSON(http.StatusOK, endpoint.JSONType, wire.ProbeAnswer{
		Status: "ready", DegradedComponents: components.Degraded(),
	})
}
