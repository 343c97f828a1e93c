package wire

import "time"

// Components holds the state of every component. The language model never makes the service unhealthy.
type Components struct {
	DataSource     DataSource     `json:"data_source"`
	SkillExtractor SkillExtractor `json:"skill_extractor"`
	Database       Database       `json:"database"`
	LLM            LLM            `json:"llm"`
	ExchangeRates  *ExchangeRates `json:"exchange_rates,omitempty"` // nil if none are configured
	Encoder        *Encoder       `json:"encoder,omitempty"`        // nil if it is off
	OCR            *OCR           `json:"ocr,omitempty"`            // nil if text in pictures is not recognized
}

// Unhealthy returns the names of required components that don't work.
func (c *Components) Unhealthy() []string {
	var names []string
	for _, component := range []struct{ name, status, good string }{
		{"data_source", c.DataSource.Status, StatusHealthy},
		{"skill_extractor", c.SkillExtractor.Status, StatusReady},
		{"database", c.Database.Status, StatusConnected},
	} {
		if component.status != component.good && component.status != StatusDegraded {
			names = append(names, component.name)
		}
	}
	return names
}

// Degraded returns the names of components that work only in part.
func (c *Components) Degraded() []string {
	var names []string
	if c.DataSource.Status == StatusDegraded {
		names = append(names, "data_source")
	}
	if c.ExchangeRates != nil && c.ExchangeRates.Status == StatusOutdated {
		names = append(names, "exchange_rates")
	}
	return names
}

// The states of components.
const (
	StatusHealthy     = "healthy"     // data_source
	StatusDegraded    = "degraded"    // data_source: it works in part, and its Error has the reason
	StatusReady       = "ready"       // skill_extractor
	StatusConnected   = "connected"   // database
	StatusConfigured  = "configured"  // llm
	StatusOffline     = "offline"     // llm: not configured
	StatusUnreachable = "unreachable" // llm
	StatusCurrent     = "current"     // exchange_rates
	StatusOutdated    = "outdated"    // exchange_rates: older than the configured age; they are still used
	StatusEncoding    = "encoding"    // encoder: profiles are being encoded, and matches use those that are
	StatusComplete    = "complete"    // encoder: all profiles are encoded
	StatusError       = "error"       // any component; its Error has the reason
)

// DataSource is the search engine and its data.
type DataSource struct {
	Status          string    `json:"status"`
	Type            string    `json:"type"` // what the data was loaded from: csv, ndjson, xlsx, generated, mixed or none
	FreelancerCount int       `json:"freelancer_count"`
	Engine          string    `json:"engine"`
	Index           string    `json:"index"`               // "" without data
	IndexedAt       time.Time `json:"indexed_at,omitzero"` // zero without data
	Error           string    `json:"error,omitempty"`     // shown to clients, so it contains no internals
}

// SkillExtractor is the skill taxonomy.
type SkillExtractor struct {
	Status string `json:"status"`
	Skills int    `json:"skills"`
	Error  string `json:"error,omitempty"`
}

// Database is the database of accounts and keys.
type Database struct {
	Status string `json:"status"`
	Type   string `json:"type"` // sqlite or postgresql
	Error  string `json:"error,omitempty"`
}

// LLM is the language model.
type LLM struct {
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
}

// OCR is the recognition of text in scanned pages.
type OCR struct {
	Languages []string `json:"languages"` // names of Tesseract's data
}

// Encoder is the sentence encoder that orders the best matches.
type Encoder struct {
	Status string `json:"status"`
	// Encoded is the number of Freelancers whose profiles were encoded when the index was looked at last.
	Encoded     int `json:"encoded"`
	Freelancers int `json:"freelancers"`
}

// ExchangeRates is the table of exchange rates.
type ExchangeRates struct {
	Status string `json:"status"`
	Date   string `json:"date"` // of the rates
}

// HealthAnswer is the response of /health, with the status 200 or 503.
type HealthAnswer struct {
	Status              string     `json:"status"`
	Components          Components `json:"components"`
	UnhealthyComponents []string   `json:"unhealthy_components,omitempty"`
	DegradedComponents  []string   `json:"degraded_components,omitempty"`
	Detail              string     `json:"detail,omitempty"`
	RequestID           string     `json:"request_id"`
	TookMS              float64    `json:"took_ms"`
}

// ProbeAnswer is the response of /livez and /readyz.
type ProbeAnswer struct {
	Status              string   `json:"status"` // alive (/livez); ready, draining or unhealthy (/readyz)
	UnhealthyComponents []string `json:"unhealthy_components,omitempty"`
	DegradedComponents  []string `json:"degraded_components,omitempty"`
}
