// Package config defines the settings of the programs: their names, defaults, sources and accepted values. A flag
// overrides an environment variable, which overrides the default.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config holds every setting.
type Config struct {
	Version         string        // version of the program, for the dashboard and the metrics; not a setting
	Addr            string        // host:port to listen on; port 0 picks a free one
	Data            string        // folder with the indexes and the database; created if missing
	Demo            bool          // serve generated freelancers from a temporary folder
	Test            bool          // serve the tests of clients; see server/testmode
	LogLevel        slog.Level    // lowest level that is logged
	LogJSON         bool          // log one JSON object per line instead of text
	RequestTimeout  time.Duration // limit for one request, from admission to response
	MaxMatches      int           // matches computed at once
	MaxParses       int           // résumés parsed at once
	UploadMaxMB     int           // size of a file for a load over HTTP, in megabytes
	OCR             OCR
	SkillsFile      string // operator's own skills and synonyms, in the format of taxonomy.ParseOwn; "" for none
	ExchangeRates   ExchangeRates
	LearningGroups  string        // file with groups of freelancers, for learned rankings; "" for none
	DrainDelay      time.Duration // see Drain; AutomaticDrain unless the operator chose one
	ShutdownTimeout time.Duration // limit for open requests after the server was told to stop
	TLS             TLS
	InsecureHTTP    bool     // accept plain HTTP from other machines
	PublicURL       string   // scheme and host of the dashboard as people reach it; "" for Addr
	Hosts           []string // further host names under which clients reach the server
	WebhookAllow    []string // hosts and networks without a public address that webhooks may be sent to
	TrustedProxies  []string // networks or addresses whose X-Forwarded-For is believed
	AdminEmail      string   // of the first administrator; "" for the one who opens the set-up link
	AdminPassword   *Secret  // of the first administrator
	FirstKeyFile    string   // receives the first API key; "" for none
	SignUp          string   // SignUpOpen, SignUpInvitation or SignUpClosed
	MetricsAddr     string   // host:port that serves /metrics; "" for none
	Pprof           bool     // MetricsAddr also serves profiles
	OTLPEndpoint    string   // base URL of an OpenTelemetry collector; "" for no traces
	Notices         Notices
	Retention       Retention
	Database        Database
	Quota           Quota
	Encoder         string // EncoderAuto, EncoderOn or EncoderOff
	Embeddings      Embeddings
	LLM             LLM
	Elasticsearch   Elasticsearch
}

// The values of Config.SignUp.
const (
	SignUpOpen       = "open"
	SignUpInvitation = "invitation"
	SignUpClosed     = "closed"
)

// OCR holds the settings for text in scanned pages.
type OCR struct {
	Mode      string   // OCRAuto, OCROff or OCRRequired
	Languages []string // of Tesseract's data
}

// The values of OCR.Mode.
const (
	OCRAuto     = "auto" // if Tesseract is installed
	OCROff      = "off"
	OCRRequired = "required"
)

// The values of Config.Encoder.
const (
	EncoderAuto = "auto" // on, unless there is an embeddings server, or the processor is slow
	EncoderOn   = "on"
	EncoderOff  = "off"
)

// UsesEncoder reports whether the settings let the sentence encoder order the best matches.
func (c *Config) UsesEncoder() bool {
	return c.Encoder != EncoderOff && !c.Embeddings.On()
}

// maxUploadMB is the largest file for a load over HTTP that can be allowed, in megabytes.
const maxUploadMB = 1 << 20

// Retention holds how long personal data is kept that nobody deletes before.
type Retention struct {
	Audit       time.Duration // entries of the audit log identify people; after it, they have pseudonyms
	Usage       time.Duration // request counts and failed requests of keys
	DeadLetters time.Duration // files with rejected rows
	Events      time.Duration // events about freelancers, and the matches with events
	Interviews  time.Duration // sessions of interviews, from their start and again from their evaluation
	Indexes     int           // finished indexes kept by a load, with the live and the previous one; 0 for all
}

func (r *Retention) validate(f *faults) {
	f.addIf(r.Audit < Day, "audit-retention is %s; use at least 1d", Days(r.Audit))
	f.addIf(r.Usage < Day, "usage-retention is %s; use at least 1d", Days(r.Usage))
	f.addIf(r.Events < Day, "event-retention is %s; use at least 1d", Days(r.Events))
	f.addIf(r.Interviews < Day, "interview-retention is %s; use at least 1d", Days(r.Interviews))
	f.addIf(r.DeadLetters < Day, "dead-letter-retention is %s; use at least 1d", Days(r.DeadLetters))
}

// Day is the unit of retention periods.
const Day = 24 * time.Hour

// Days formats a retention period: 30d, or 36h0m0s if it isn't a number of days.
func Days(d time.Duration) string {
	if d%Day != 0 {
		return d.String()
	}
	return strconv.FormatInt(int64(d/Day), 10) + "d"
}

// Database names a PostgreSQL database. Without URL, SQLite in the data folder is used.
type Database struct {
	URL      string // postgres://user@host/name
	Password *Secret
	// Secrets holds the keys that encrypt secrets in the database; nil to store them as they are.
	Secrets *Secret
}

// On reports whether a PostgreSQL database is configured.
func (d Database) On() bool { return d.URL != "" }

// Quota names the Redis that counts the requests of limited plans. Without RedisURL, the database counts them.
type Quota struct {
	RedisURL      string // redis://host:port/database
	RedisPassword *Secret
}

// Notices says where notices of changed credentials are sent. Without URLs, there are none.
type Notices struct {
	SMTP          string  // smtp://user@host:port, or smtps://; see MailServer
	SMTPPassword  *Secret // of the user
	From          string  // email address of the sender, with or without a name
	CACert        []byte  // PEM; nil for the system's certificate authorities
	WebhookURL    string
	WebhookSecret *Secret // whsec_ and base64
}

// Embeddings names a server that computes vectors. Without URL, the built-in vectors are used alone.
type Embeddings struct {
	URL        string  // base URL of an OpenAI-compatible API, such as http://127.0.0.1:11434/v1
	Key        *Secret // bearer token; nil for none
	Model      string  // the model's name at that API
	Dimensions int     // dimensions of the model's vectors
	// QueryPrefix and PassagePrefix precede briefs and profiles, as some models were trained with; empty for none.
	QueryPrefix   string
	PassagePrefix string
	// Timeout limits how long a brief waits for its vector. After it, the built-in vectors are used.
	Timeout time.Duration
}

// On reports whether an embeddings server is configured.
func (e Embeddings) On() bool { return e.URL != "" }

// SpaceModel returns the name of the model in an index. It includes the prefix of profiles, because vectors of texts
// with different prefixes can't be compared.
func (e Embeddings) SpaceModel() string {
	if e.PassagePrefix == "" {
		return e.Model
	}
	return fmt.Sprintf("%s with prefix %q", e.Model, e.PassagePrefix)
}

// maxLLMTimeout leaves an interview request three seconds of the 28 it has: clients of the older service give up after
// 30 seconds.
const maxLLMTimeout = 25 * time.Second

// LLM names a language model. Without URL, the question bank conducts the interviews.
type LLM struct {
	URL        string        // base URL of an OpenAI-compatible API, such as http://127.0.0.1:11434/v1
	Key        *Secret       // bearer token; nil for none
	Model      string        // the model's name at that API
	Timeout    time.Duration // limit for all the model's work on one request
	TokensADay int           // tokens one account may use per day; 0 for no limit
	// ServiceTokensADay is how many tokens all accounts together may use per day; 0 for no limit.
	ServiceTokensADay int
	WordsADay         int // unknown words the model may judge for one account per day; 0 for none
}

// On reports whether a language model is configured.
func (l LLM) On() bool { return l.URL != "" }

// Elasticsearch names a cluster that holds the indexes. Without URLs, they are in the data folder.
type Elasticsearch struct {
	URLs     []string // addresses of the nodes, such as http://127.0.0.1:9200
	Username string
	Password *Secret
	APIKey   *Secret // replaces Username and Password
	CACert   []byte  // PEM; nil for the system's certificate authorities
	Prefix   string  // starts the names of all indexes and aliases
	Shards   int     // of new indexes
	Replicas int     // of new indexes
	Writers  int     // bulk requests the indexer sends at once
}

// On reports whether a cluster is configured.
func (e Elasticsearch) On() bool { return len(e.URLs) > 0 }

// ExchangeRates is the table for amounts in other currencies than that of the data set.
type ExchangeRates struct {
	File   string        // in a format of exchange.Parse; "" for none
	MaxAge time.Duration // after which the rates count as old
}

// Default returns the configuration without any flag or environment variable.
func Default() Config {
	return Config{
		Addr:            "127.0.0.1:8080",
		Data:            "data",
		LogLevel:        slog.LevelInfo,
		RequestTimeout:  10 * time.Second,
		MaxMatches:      16,
		MaxParses:       2 * runtime.GOMAXPROCS(0),
		UploadMaxMB:     512,
		OCR:             OCR{Mode: OCRAuto, Languages: []string{"eng"}},
		ExchangeRates:   ExchangeRates{MaxAge: 7 * Day},
		DrainDelay:      AutomaticDrain,
		ShutdownTimeout: 30 * time.Second,
		SignUp:          SignUpInvitation,
		Retention: Retention{
			Audit: 184 * Day, Usage: 90 * Day, DeadLetters: 30 * Day, Interviews: 30 * Day, Events: 365 * Day,
			Indexes: 2,
		},
		Encoder:       EncoderAuto,
		Embeddings:    Embeddings{Timeout: 300 * time.Millisecond},
		LLM:           LLM{Timeout: maxLLMTimeout, TokensADay: 1_000_000, ServiceTokensADay: 10_000_000, WordsADay: 50},
		Elasticsearch: Elasticsearch{Shards: 1, Writers: 1},
	}
}

// faults collects the errors of a configuration.
type faults []error

// addIf appends a formatted error if the condition holds.
func (f *faults) addIf(condition bool, format string, args ...any) {
	if condition {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

// Validate returns all faults of the configuration, joined. It leaves to the clients what only they can judge: the form
// of API and database URLs, keys and certificates.
func (c *Config) Validate() error {
	var f faults
	// All faults are collected, so that an operator can correct them in one go.
	f.addIf(!hostPort(c.Addr), "addr is %q; use host:port, such as 127.0.0.1:8080 or :8080", c.Addr)
	f.addIf(c.Data == "", "data is empty; name a folder")
	f.addIf(c.RequestTimeout <= 0, "request-timeout is %s; use more than 0, such as 10s", c.RequestTimeout)
	f.addIf(c.ShutdownTimeout <= 0, "shutdown-timeout is %s; use more than 0, such as 30s", c.ShutdownTimeout)
	f.addIf(c.MaxMatches < 1, "max-matches is %d; use at least 1", c.MaxMatches)
	f.addIf(c.MaxParses < 1, "max-parses is %d; use at least 1", c.MaxParses)
	f.addIf(c.UploadMaxMB < 1 || c.UploadMaxMB > maxUploadMB,
		"upload-max-mb is %d; use 1 to %d", c.UploadMaxMB, maxUploadMB)
	f.addIf(!isOneOf(c.OCR.Mode, OCRAuto, OCROff, OCRRequired),
		"ocr is %q; use auto, off or required", c.OCR.Mode)
	c.validateNetwork(&f)
	f.addIf(!isOneOf(c.SignUp, SignUpOpen, SignUpInvitation, SignUpClosed),
		"sign-up is %q; use open, invitation or closed", c.SignUp)
	f.addIf(c.MetricsAddr != "" && !hostPort(c.MetricsAddr),
		"metrics-addr is %q; use host:port, such as 127.0.0.1:9090", c.MetricsAddr)
	f.addIf(c.OTLPEndpoint != "" && !httpURL(c.OTLPEndpoint),
		"otlp-endpoint is not an http or https URL such as http://127.0.0.1:4318, without a user, query or fragment")

	// Profiles show internals, and taking one slows the server down, so they are for this machine only.
	isLocal := c.MetricsAddr != "" && !c.MetricsExposed()
	f.addIf(c.Pprof && !isLocal,
		"pprof needs metrics-addr on loopback, such as 127.0.0.1:9090, because profiles show the server's internals")

	f.addIf((c.AdminEmail == "") != (c.AdminPassword.Get() == ""), "admin-email and admin-password-file belong together")

	// A password without its URL would be ignored silently, and the data would land in SQLite.
	f.addIf(!c.Database.On() && c.Database.Password.Get() != "",
		"database-password-file needs database-url, which names the PostgreSQL database")
	f.addIf(c.Quota.RedisURL == "" && c.Quota.RedisPassword.Get() != "",
		"redis-password-file needs redis-url, which names the Redis server")

	// The demo deletes its folder at the end; it must not leave anything in shared services.
	usesService := c.Elasticsearch.On() || c.Database.On() || c.Quota.RedisURL != ""
	f.addIf(c.Demo && usesService,
		"demo keeps everything in a temporary folder; remove elasticsearch-url, database-url and redis-url")
	c.validateTest(&f)
	f.addIf(c.ExchangeRates.MaxAge < Day, "exchange-rates-max-age is %s; use at least 1d", c.ExchangeRates.MaxAge)
	c.Notices.validate(&f)
	c.Retention.validate(&f)
	f.addIf(!isOneOf(c.Encoder, EncoderAuto, EncoderOn, EncoderOff),
		"encoder is %q; use auto, on or off", c.Encoder)
	f.addIf(c.Encoder == EncoderOn && !c.UsesEncoder(),
		"encoder on works without embeddings-url only, whose model takes its place; use auto")
	c.Embeddings.validate(&f)
	c.LLM.validate(&f)
	c.Elasticsearch.validate(&f)

	return errors.Join(f...)
}

// validateTest adds faults if test mode is combined with settings for production. Test mode has keys that everybody
// knows and forgets everything, so it must not reach services that hold real data or real people.
func (c *Config) validateTest(f *faults) {
	if !c.Test {
		return
	}
	for _, s := range []struct {
		name  string
		isSet bool
	}{
		{"demo", c.Demo},
		{"database-url", c.Database.On()},
		{"redis-url", c.Quota.RedisURL != ""},
		{"elasticsearch-url", c.Elasticsearch.On()},
		{"embeddings-url", c.Embeddings.On()},
		{"llm-url", c.LLM.On()},
		{"smtp-url", c.Notices.SMTP != ""},
		{"notice-webhook-url", c.Notices.WebhookURL != ""},
		{"tls-cert", c.TLS.On()},
		{"public-url", c.PublicURL != ""},
		{"trusted-proxies", len(c.TrustedProxies) > 0},
		{"admin-email", c.AdminEmail != ""},
		{"first-key-file", c.FirstKeyFile != ""},
		{"metrics-addr", c.MetricsAddr != ""},
		{"otlp-endpoint", c.OTLPEndpoint != ""},
		{"exchange-rates", c.ExchangeRates.File != ""},
	} {
		f.addIf(s.isSet, "test mode can't be combined with %s, which belongs to production; remove one of them", s.name)
	}
}

func isOneOf(value string, allowed ...string) bool { return slices.Contains(allowed, value) }

func hostPort(s string) bool {
	_, _, err := net.SplitHostPort(s)
	return err == nil
}

func schemeAndHost(s string) bool {
	u, err := url.Parse(s)
	return err == nil && httpURL(s) && strings.Trim(u.Path, "/") == ""
}

// httpURL reports whether s is an http or https URL without a user, query or fragment.
func httpURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		u.RawQuery == "" && u.Fragment == ""
}

func (e *Embeddings) validate(f *faults) {
	f.addIf(e.On() && (e.Model == "" || e.Dimensions < 1),
		"embeddings-url needs embeddings-model, and embeddings-dimensions of at least 1")
	hasPrefix := e.QueryPrefix != "" || e.PassagePrefix != ""
	f.addIf(!e.On() && (e.Key.Get() != "" || e.Model != "" || e.Dimensions != 0 || hasPrefix),
		"embeddings-key-file, -model, -dimensions and the prefixes need embeddings-url, which names the embeddings API")
	f.addIf(e.Timeout <= 0, "embeddings-timeout is %s; use more than 0, such as 300ms", e.Timeout)
}

func (l *LLM) validate(f *faults) {
	f.addIf(l.On() && l.Model == "", "llm-url needs llm-model, the model's name at that API")
	f.addIf(!l.On() && (l.Key.Get() != "" || l.Model != ""),
		"llm-key-file and llm-model need llm-url, which names the language model's API")
	f.addIf(l.Timeout <= 0 || l.Timeout > maxLLMTimeout,
		"llm-timeout is %s; use more than 0 and at most %s", l.Timeout, maxLLMTimeout)
	f.addIf(l.TokensADay < 0, "llm-tokens-a-day is %d; use 0 for no limit, or a positive number", l.TokensADay)
	f.addIf(l.ServiceTokensADay < 0,
		"llm-service-tokens-a-day is %d; use 0 for no limit, or a positive number", l.ServiceTokensADay)
	f.addIf(l.WordsADay < 0, "llm-words-a-day is %d; use 0 for none, or a positive number", l.WordsADay)
}

func (e *Elasticsearch) validate(f *faults) {
	password := e.Password.Get()
	key := e.APIKey.Get()
	f.addIf(!e.On() && (e.Username != "" || password != "" || key != "" || e.CACert != nil || e.Prefix != ""),
		"elasticsearch-user, -password-file, -api-key-file, -ca-file and -prefix need elasticsearch-url")
	f.addIf((e.Username == "") != (password == "") || e.Username != "" && key != "",
		"set elasticsearch-user together with elasticsearch-password-file, or elasticsearch-api-key-file alone")
	f.addIf(e.Shards < 1, "elasticsearch-shards is %d; use at least 1", e.Shards)
	f.addIf(e.Replicas < 0, "elasticsearch-replicas is %d; use 0 or more", e.Replicas)
	f.addIf(e.Writers < 1 || e.Writers > 16, "elasticsearch-writers is %d; use 1 to 16", e.Writers)
}
