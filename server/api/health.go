package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/server/openapi"
)

// Health looks at the parts that the service needs. It answers at once: what takes long is looked at in the background.
type Health interface {
	Check(ctx context.Context) Components
}

// Components is the state of every part. Of these, the language model never makes the service unhealthy.
type Components struct {
	DataSource     DataSource     `json:"data_source"`
	SkillExtractor SkillExtractor `json:"skill_extractor"`
	Database       Database       `json:"database"`
	LLM            LLM            `json:"llm"`
}

// The words for the state of a part.
const (
	StatusHealthy     = "healthy"     // data_source
	StatusReady       = "ready"       // skill_extractor
	StatusConnected   = "connected"   // database
	StatusConfigured  = "configured"  // llm
	StatusOffline     = "offline"     // llm: none configured
	StatusUnreachable = "unreachable" // llm
	StatusError       = "error"       // any of them; its error says what is wrong
)

// DataSource is the freelancers and the engine that holds them.
type DataSource struct {
	Status          string    `json:"status"`
	Type            string    `json:"type"` // what the records were loaded from: csv, ndjson, xlsx, generated, mixed, none
	FreelancerCount int       `json:"freelancer_count"`
	Engine          string    `json:"engine"`
	Index           string    `json:"index"`               // "" without data
	IndexedAt       time.Time `json:"indexed_at,omitzero"` // zero without data
	Error           string    `json:"error,omitempty"`     // for clients: what is wrong, nothing internal
}

// SkillExtractor is the skill taxonomy.
type SkillExtractor struct {
	Status string `json:"status"`
	Skills int    `json:"skills"`
	Error  string `json:"error,omitempty"`
}

// Database is where keys are kept.
type Database struct {
	Status string `json:"status"`
	Type   string `json:"type"` // sqlite
	Error  string `json:"error,omitempty"`
}

// LLM is the language model.
type LLM struct {
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
}

// unhealthy names the parts without which the service does not do its work.
func (c *Components) unhealthy() []string {
	var names []string
	for _, part := range []struct{ name, status, good string }{
		{"data_source", c.DataSource.Status, StatusHealthy},
		{"skill_extractor", c.SkillExtractor.Status, StatusReady},
		{"database", c.Database.Status, StatusConnected},
	} {
		if part.status != part.good {
			names = append(names, part.name)
		}
	}
	return names
}

// healthAnswer is the answer of /health, also with the status 503.
type healthAnswer struct {
	Status              string     `json:"status"`
	Components          Components `json:"components"`
	UnhealthyComponents []string   `json:"unhealthy_components,omitempty"`
	Detail              string     `json:"detail,omitempty"`
	RequestID           string     `json:"request_id"`
	TookMS              float64    `json:"took_ms"`
}

func (s *Server) health(c *gin.Context) error {
	parts := s.deps.Health.Check(c.Request.Context())
	answer := healthAnswer{Status: "healthy", Components: parts, RequestID: requestID(c)}
	status := http.StatusOK
	if names := parts.unhealthy(); len(names) > 0 {
		status = http.StatusServiceUnavailable
		answer.Status = "unhealthy"
		answer.UnhealthyComponents = names
		answer.Detail = "unhealthy: " + strings.Join(names, ", ")
	}
	answer.TookMS = tookMS(c)
	return writeJSON(c, status, jsonType, answer)
}

// probeAnswer is the answer of /livez and /readyz.
type probeAnswer struct {
	Status              string   `json:"status"` // alive; ready, draining, unhealthy
	UnhealthyComponents []string `json:"unhealthy_components,omitempty"`
}

// live says that the process answers, whatever it depends on.
func (s *Server) live(c *gin.Context) error {
	return writeJSON(c, http.StatusOK, jsonType, probeAnswer{Status: "alive"})
}

// ready says whether requests should be sent here.
func (s *Server) ready(c *gin.Context) error {
	if s.draining.Load() {
		return writeJSON(c, http.StatusServiceUnavailable, jsonType, probeAnswer{Status: "draining"})
	}
	parts := s.deps.Health.Check(c.Request.Context())
	if names := parts.unhealthy(); len(names) > 0 {
		return writeJSON(c, http.StatusServiceUnavailable, jsonType, probeAnswer{"unhealthy", names})
	}
	return writeJSON(c, http.StatusOK, jsonType, probeAnswer{Status: "ready"})
}

// specification is openapi.yaml, as it is in the repository.
func (s *Server) specification(c *gin.Context) error {
	c.Header("Content-Type", "application/yaml")
	c.Status(http.StatusOK)
	if _, err := c.Writer.Write(openapi.YAML()); err != nil {
		return fmt.Errorf("send openapi.yaml: %w", err)
	}
	return nil
}
