package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"freelancer-matching/server/api/wire"
	"freelancer-matching/server/openapi"
)

// Health checks the components of the service. Check must return quickly.
type Health interface {
	Check(ctx context.Context) wire.Components
}

func (s *Server) health(c *gin.Context) error {
	components := s.deps.Health.Check(c.Request.Context())
	answer := wire.HealthAnswer{
		Status: "healthy", Components: components, RequestID: requestID(c),
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
	answer.TookMS = tookMS(c)
	return writeJSON(c, status, jsonType, answer)
}

// live reports that the process responds, whatever the state of its dependencies.
func (s *Server) live(c *gin.Context) error {
	return writeJSON(c, http.StatusOK, jsonType, wire.ProbeAnswer{Status: "alive"})
}

// ready reports whether load balancers should send requests here. A degraded server still answers, and taking it out of
// service would not repair it.
func (s *Server) ready(c *gin.Context) error {
	if s.draining.Load() {
		return writeJSON(c, http.StatusServiceUnavailable, jsonType, wire.ProbeAnswer{Status: "draining"})
	}
	components := s.deps.Health.Check(c.Request.Context())
	if names := components.Unhealthy(); len(names) > 0 {
		return writeJSON(c, http.StatusServiceUnavailable, jsonType, wire.ProbeAnswer{
			Status: "unhealthy", UnhealthyComponents: names, DegradedComponents: components.Degraded(),
		})
	}
	return writeJSON(c, http.StatusOK, jsonType, wire.ProbeAnswer{
		Status: "ready", DegradedComponents: components.Degraded(),
	})
}

// specification sends openapi.yaml.
func (s *Server) specification(c *gin.Context) error {
	c.Header("Content-Type", "application/yaml")
	c.Status(http.StatusOK)
	if _, err := c.Writer.Write(openapi.YAML()); err != nil {
		return fmt.Errorf("send openapi.yaml: %w", err)
	}
	return nil
}
