// Package config holds the settings of the server: their defaults, where they come from, and what they may be. A flag
// overrules an environment variable, which overrules the default.
package config

import (
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config is every setting of the server.
type Config struct {
	Version         string        // of the program, for the dashboard and the metrics; no setting
	Addr            string        // host:port to listen on; port 0 picks a free one
	Data            string        // folder of indexes and the database; made when it does not exist
	Demo            bool          // generated freelancers in a folder of their own, gone at exit
	LogLevel        slog.Level    // what is logged: debug, info, warn or error
	LogJSON         bool          // one JSON object a line instead of text
	RequestTimeout  time.Duration // for one request, from its admission to its answer
	MaxMatches      int           // matches answered at once; more wait shortly, then get 503 overloaded
	MaxParses       int           // resumes read at once; more wait shortly, then get 503 overloaded
	MaxInterviews   int           // interviews conducted at once; more wait shortly, then get 503 overloaded
	SkillsFile      string        // own skills and synonyms of the operator, as package taxonomy reads them; "": none
	ShutdownTimeout time.Duration // for requests under way when the server is told to stop
	PublicURL       string        // scheme and host by which people reach the dashboard; "": http://Addr
	TrustedProxies  []string      // networks or addresses whose X-Forwarded-For is believed
	SignUp          string        // who may make an account: open, invitation or closed
	MetricsAddr     string        // host:port of /metrics; "": none
	Database        Database
	Quota           Quota
	Embeddings      Embeddings
	LLM             LLM
	Elasticsearch   Elasticsearch
}

// Elasticsearch names a cluster that holds the indexes; without URLs they are in the data folder.
type Elasticsearch struct {
	URLs               []string // of the nodes, such as http://127.0.0.1:9200
	Username, Password string
	APIKey             string // in place of user and password
	CACert             []byte // PEM; nil: the authorities that the system trusts
	Prefix             string // before the names of indexes and aliases
	Shards, Replicas   int    // of new indexes
	Writers            int    // requests that the indexer has under way at once
}

// On reports whether a cluster is named.
func (e Elasticsearch) On() bool { return len(e.URLs) > 0 }

// Embeddings names a server that makes vectors; without URL there is none, and the built-in vectors are used.
type Embeddings struct {
	URL        string        // base of an OpenAI-compatible API, such as http://127.0.0.1:11434/v1
	Key        string        // sent as bearer token; "" for none
	Model      string        // as the server names it
	Dimensions int           // of the model's vectors
	Shorten    bool          // ask the server for so many dimensions; not every model can
	Batch      int           // texts in one request while data is loaded
	Timeout    time.Duration // for the vector of a brief; after it the built-in vectors are used
}

// On reports whether a server is named.
func (e Embeddings) On() bool { return e.URL != "" }

// Setting is one setting as the command line, the environment and the documentation name it.
type Setting struct {
	Flag, Variable, Default, Usage string
	set                            func(*Config, string) error
	boolean                        bool
}

// Default is the configuration without any flag or variable.
func Default() Config {
	return Config{
		Addr:            "127.0.0.1:8080",
		Data:            "data",
		LogLevel:        slog.LevelInfo,
		RequestTimeout:  10 * time.Second,
		MaxMatches:      16,
		MaxParses:       2,
		MaxInterviews:   256,
		ShutdownTimeout: 30 * time.Second,
		SignUp:          SignUpOpen,
		Embeddings:      Embeddings{Batch: 64, Timeout: 300 * time.Millisecond},
		LLM:             LLM{Timeout: longestLLM, Concurrency: 8, TokensADay: 1_000_000, WordsADay: 50},
		Elasticsearch:   Elasticsearch{Shards: 1, Writers: 1},
	}
}

// Settings is the table of all settings, in the order of the documentation.
func Settings() []Setting {
	d := Default()
	return []Setting{
		{"addr", "MATCHING_ADDR", d.Addr, "`host:port` to listen on; port 0 picks a free one", text(func(c *Config) *string { return &c.Addr }), false},
		{"data", "MATCHING_DATA", d.Data, "`folder` of the indexes and the database", text(func(c *Config) *string { return &c.Data }), false},
		{"demo", "MATCHING_DEMO", "false", "start with 2,000 generated freelancers and a key, in a folder of their own that is removed at exit", boolean(func(c *Config) *bool { return &c.Demo }), true},
		{"log-level", "MATCHING_LOG_LEVEL", "info", "least `level` that is logged: debug, info, warn, error", logLevel, false},
		{"log-json", "MATCHING_LOG_JSON", "false", "log one JSON object a line", boolean(func(c *Config) *bool { return &c.LogJSON }), true},
		{"request-timeout", "MATCHING_REQUEST_TIMEOUT", d.RequestTimeout.String(), "longest `duration` of one request; an interview has 28s", duration(func(c *Config) *time.Duration { return &c.RequestTimeout }), false},
		{"max-matches", "MATCHING_MAX_MATCHES", strconv.Itoa(d.MaxMatches), "`number` of matches answered at once; more wait shortly, then get 503", number(func(c *Config) *int { return &c.MaxMatches }), false},
		{"max-parses", "MATCHING_MAX_PARSES", strconv.Itoa(d.MaxParses), "`number` of resumes read at once, each by one core and with up to 96 MiB; more wait shortly, then get 503", number(func(c *Config) *int { return &c.MaxParses }), false},
		{"max-interviews", "MATCHING_MAX_INTERVIEWS", strconv.Itoa(d.MaxInterviews), "`number` of interviews conducted at once, open streams included; more wait shortly, then get 503", number(func(c *Config) *int { return &c.MaxInterviews }), false},
		{"skills-file", "MATCHING_SKILLS_FILE", "none", "`file` with own skills and synonyms, for the server and the indexer alike; after a change of it, load again or reindex", text(func(c *Config) *string { return &c.SkillsFile }), false},
		{"shutdown-timeout", "MATCHING_SHUTDOWN_TIMEOUT", d.ShutdownTimeout.String(), "longest `duration` that requests under way may take once the server is told to stop", duration(func(c *Config) *time.Duration { return &c.ShutdownTimeout }), false},
		{"public-url", "MATCHING_PUBLIC_URL", "http:// and addr", "`address` by which people reach the dashboard, such as https://match.example.com; needed behind a proxy, and https makes its cookies secure", text(func(c *Config) *string { return &c.PublicURL }), false},
		{"trusted-proxies", "MATCHING_TRUSTED_PROXIES", "none", "`networks` of proxies whose X-Forwarded-For tells the address of a client, such as 10.0.0.0/8, with commas between", list(func(c *Config) *[]string { return &c.TrustedProxies }), false},
		{"sign-up", "MATCHING_SIGN_UP", d.SignUp, "`who` may make an account on the dashboard: open (anyone who reaches it, plan freelancer), invitation, closed", text(func(c *Config) *string { return &c.SignUp }), false},
		{"metrics-addr", "MATCHING_METRICS_ADDR", "none", "`host:port` to serve /metrics for Prometheus on", text(func(c *Config) *string { return &c.MetricsAddr }), false},
		{"database-url", "MATCHING_DATABASE_URL", "none", "`address` of a PostgreSQL database for accounts, keys and usage in place of the data folder, such as postgres://matching@db/matching", text(func(c *Config) *string { return &c.Database.URL }), false},
		{"database-password-file", "MATCHING_DATABASE_PASSWORD_FILE", "none", "`file` with the password of that database", secretFile("the password of the database", func(c *Config) *string { return &c.Database.Password }), false},
		{"redis-url", "MATCHING_REDIS_URL", "none", "`address` of a Redis that counts requests in place of the database, for several servers: redis://cache:6379/0", text(func(c *Config) *string { return &c.Quota.RedisURL }), false},
		{"redis-password-file", "MATCHING_REDIS_PASSWORD_FILE", "none", "`file` with the password of that Redis", secretFile("the password of Redis", func(c *Config) *string { return &c.Quota.RedisPassword }), false},
		{"embeddings-url", "MATCHING_EMBEDDINGS_URL", "none", "`base` of an OpenAI-compatible embeddings API whose vectors compare meanings in place of the built-in ones; load and serve with the same", text(func(c *Config) *string { return &c.Embeddings.URL }), false},
		{"embeddings-key-file", "MATCHING_EMBEDDINGS_KEY_FILE", "none", "`file` with the key of the embeddings API; it is sent as bearer token", secretFile("the key of the embeddings API", func(c *Config) *string { return &c.Embeddings.Key }), false},
		{"embeddings-model", "MATCHING_EMBEDDINGS_MODEL", "none", "`name` of the model, as the embeddings API knows it", text(func(c *Config) *string { return &c.Embeddings.Model }), false},
		{"embeddings-dimensions", "MATCHING_EMBEDDINGS_DIMENSIONS", "none", "`number` of dimensions of that model's vectors", number(func(c *Config) *int { return &c.Embeddings.Dimensions }), false},
		{"embeddings-shorten", "MATCHING_EMBEDDINGS_SHORTEN", "false", "ask the embeddings API for that many dimensions, where its model has more; not every API can", boolean(func(c *Config) *bool { return &c.Embeddings.Shorten }), true},
		{"embeddings-batch", "MATCHING_EMBEDDINGS_BATCH", strconv.Itoa(d.Embeddings.Batch), "`number` of texts in one request to the embeddings API while data is loaded", number(func(c *Config) *int { return &c.Embeddings.Batch }), false},
		{"embeddings-timeout", "MATCHING_EMBEDDINGS_TIMEOUT", d.Embeddings.Timeout.String(), "longest `duration` that a brief waits for the embeddings API; then the built-in vectors are used, and the answer says so", duration(func(c *Config) *time.Duration { return &c.Embeddings.Timeout }), false},
		{"llm-url", "MATCHING_LLM_URL", "none", "`base` of an OpenAI-compatible API whose model asks and judges in interviews, and judges words that nobody knows; without it a question bank asks, and nobody is recommended", text(func(c *Config) *string { return &c.LLM.URL }), false},
		{"llm-key-file", "MATCHING_LLM_KEY_FILE", "none", "`file` with the key of that API; it is sent as bearer token", secretFile("the key of the language model's API", func(c *Config) *string { return &c.LLM.Key }), false},
		{"llm-model", "MATCHING_LLM_MODEL", "none", "`name` of the model, as that API knows it", text(func(c *Config) *string { return &c.LLM.Model }), false},
		{"llm-timeout", "MATCHING_LLM_TIMEOUT", d.LLM.Timeout.String(), "longest `duration` that the model may take for one interview request, up to 25s; then the question bank does it, and the answer says so", duration(func(c *Config) *time.Duration { return &c.LLM.Timeout }), false},
		{"llm-concurrency", "MATCHING_LLM_CONCURRENCY", strconv.Itoa(d.LLM.Concurrency), "`number` of calls to the model at once; more wait, within their time", number(func(c *Config) *int { return &c.LLM.Concurrency }), false},
		{"llm-tokens-a-day", "MATCHING_LLM_TOKENS_A_DAY", strconv.Itoa(d.LLM.TokensADay), "`number` of the model's tokens that an account may use in a day (UTC); then the question bank serves it; 0: no bound", number(func(c *Config) *int { return &c.LLM.TokensADay }), false},
		{"llm-words-a-day", "MATCHING_LLM_WORDS_A_DAY", strconv.Itoa(d.LLM.WordsADay), "`number` of words unknown to all that an account may have the model judge in a day (UTC), for verify-skill; 0: none", number(func(c *Config) *int { return &c.LLM.WordsADay }), false},
		{"elasticsearch-url", "MATCHING_ELASTICSEARCH_URL", "none", "`address` of an Elasticsearch 8 that holds the indexes in place of the data folder; several nodes with commas between", list(func(c *Config) *[]string { return &c.Elasticsearch.URLs }), false},
		{"elasticsearch-user", "MATCHING_ELASTICSEARCH_USER", "none", "`name` that Elasticsearch knows this program by", text(func(c *Config) *string { return &c.Elasticsearch.Username }), false},
		{"elasticsearch-password-file", "MATCHING_ELASTICSEARCH_PASSWORD_FILE", "none", "`file` with that user's password", secretFile("the password of Elasticsearch", func(c *Config) *string { return &c.Elasticsearch.Password }), false},
		{"elasticsearch-api-key-file", "MATCHING_ELASTICSEARCH_API_KEY_FILE", "none", "`file` with an API key of Elasticsearch, encoded as it gives it out, in place of user and password", secretFile("an API key of Elasticsearch", func(c *Config) *string { return &c.Elasticsearch.APIKey }), false},
		{"elasticsearch-ca-file", "MATCHING_ELASTICSEARCH_CA_FILE", "none", "`file` with the certificate, in PEM, of the authority that signed those of the nodes", certificateFile, false},
		{"elasticsearch-prefix", "MATCHING_ELASTICSEARCH_PREFIX", "none", "`text` before the names of all indexes, so that several services can share a cluster", text(func(c *Config) *string { return &c.Elasticsearch.Prefix }), false},
		{"elasticsearch-shards", "MATCHING_ELASTICSEARCH_SHARDS", strconv.Itoa(d.Elasticsearch.Shards), "`number` of shards of new indexes", number(func(c *Config) *int { return &c.Elasticsearch.Shards }), false},
		{"elasticsearch-replicas", "MATCHING_ELASTICSEARCH_REPLICAS", strconv.Itoa(d.Elasticsearch.Replicas), "`number` of copies of each shard of new indexes", number(func(c *Config) *int { return &c.Elasticsearch.Replicas }), false},
		{"elasticsearch-writers", "MATCHING_ELASTICSEARCH_WRITERS", strconv.Itoa(d.Elasticsearch.Writers), "`number` of requests that the indexer has under way at once: with 1 those who search hardly notice it, more are faster", number(func(c *Config) *int { return &c.Elasticsearch.Writers }), false},
	}
}

// Bind reads the environment into c, and gives flags a flag for each of the named settings, or for all without names.
// The error tells every fault of the environment.
func Bind(c *Config, flags *flag.FlagSet, environment func(string) (string, bool), names ...string) error {
	var faults []error
	for _, s := range Settings() {
		if len(names) > 0 && !slices.Contains(names, s.Flag) {
			continue
		}
		if value, ok := environment(s.Variable); ok && value != "" {
			if err := s.set(c, value); err != nil {
				faults = append(faults, fmt.Errorf("environment variable %s: %w", s.Variable, err))
			}
		}
		usage := s.Usage + " (" + s.Variable + ", default " + s.Default + ")"
		set := func(value string) error { return s.set(c, value) }
		if s.boolean {
			flags.BoolFunc(s.Flag, usage, set)
		} else {
			flags.Func(s.Flag, usage, set)
		}
	}
	return errors.Join(faults...)
}

// Validate tells every fault of the configuration at once.
func (c *Config) Validate() error {
	var faults []error
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		faults = append(faults, fmt.Errorf("addr %q is not host:port, such as 127.0.0.1:8080 or :8080", c.Addr))
	}
	if c.Data == "" {
		faults = append(faults, errors.New("data is empty; name a folder"))
	}
	if c.RequestTimeout <= 0 || c.ShutdownTimeout <= 0 {
		faults = append(faults, errors.New("request-timeout and shutdown-timeout must be longer than 0, such as 10s"))
	}
	if c.MaxMatches < 1 {
		faults = append(faults, fmt.Errorf("max-matches is %d, must be at least 1", c.MaxMatches))
	}
	if c.MaxParses < 1 {
		faults = append(faults, fmt.Errorf("max-parses is %d, must be at least 1", c.MaxParses))
	}
	if c.MaxInterviews < 1 {
		faults = append(faults, fmt.Errorf("max-interviews is %d, must be at least 1", c.MaxInterviews))
	}
	if c.Demo && c.Elasticsearch.On() {
		faults = append(faults, errors.New("demo makes an index of its own in a folder that goes with it: leave out elasticsearch-url"))
	}
	return errors.Join(append(faults, c.validateAccess(), c.Embeddings.validate(), c.LLM.validate(), c.Elasticsearch.validate())...)
}

// validate leaves to the engine what only that can judge: the form of addresses and certificates.
func (e *Elasticsearch) validate() error {
	var faults []error
	if !e.On() && (e.Username != "" || e.Password != "" || e.APIKey != "" || e.CACert != nil || e.Prefix != "") {
		faults = append(faults, errors.New("elasticsearch-user, -password-file, -api-key-file, -ca-file and -prefix are for "+
			"Elasticsearch: name it with elasticsearch-url, or leave them out"))
	}
	if (e.Username == "") != (e.Password == "") || e.Username != "" && e.APIKey != "" {
		faults = append(faults, errors.New("Elasticsearch wants elasticsearch-user with elasticsearch-password-file, or "+
			"elasticsearch-api-key-file alone"))
	}
	if e.Writers < 1 || e.Writers > 16 {
		faults = append(faults, fmt.Errorf("elasticsearch-writers is %d, must be 1 to 16", e.Writers))
	}
	if e.Shards < 1 || e.Replicas < 0 {
		faults = append(faults, errors.New("elasticsearch-shards must be at least 1, and elasticsearch-replicas at least 0"))
	}
	return errors.Join(faults...)
}

// validate leaves to the client of the API what only that can judge: the form of the URL, the greatest sizes.
func (e *Embeddings) validate() error {
	var faults []error
	if e.On() && (e.Model == "" || e.Dimensions < 1) {
		faults = append(faults, errors.New("embeddings-url needs embeddings-model, and embeddings-dimensions of at least 1"))
	}
	if !e.On() && (e.Key != "" || e.Model != "" || e.Dimensions != 0 || e.Shorten) {
		faults = append(faults, errors.New("embeddings-key-file, -model, -dimensions and -shorten are for an embeddings API: "+
			"name it with embeddings-url, or leave them out"))
	}
	if e.Timeout <= 0 || e.Batch < 1 {
		faults = append(faults, errors.New("embeddings-timeout must be longer than 0, and embeddings-batch at least 1"))
	}
	return errors.Join(faults...)
}

// secretFile reads what, so that it stands neither on a command line nor in the environment.
func secretFile(what string, field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, name string) error {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		secret := strings.TrimSpace(string(data))
		if secret == "" {
			return fmt.Errorf("%s is empty; it should hold %s", name, what)
		}
		*field(c) = secret
		return nil
	}
}

func certificateFile(c *Config, name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !x509.NewCertPool().AppendCertsFromPEM(data) {
		return fmt.Errorf("%s holds no certificate in PEM (-----BEGIN CERTIFICATE-----)", name)
	}
	c.Elasticsearch.CACert = data
	return nil
}

// list reads texts with commas between them.
func list(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, value string) error {
		texts := strings.Split(value, ",")
		for i := range texts {
			if texts[i] = strings.TrimSpace(texts[i]); texts[i] == "" {
				return fmt.Errorf("%q lacks a text before, between or after commas", value)
			}
		}
		*field(c) = texts
		return nil
	}
}

func text(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, value string) error {
		*field(c) = value
		return nil
	}
}

func boolean(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, value string) error {
		v, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", value)
		}
		*field(c) = v
		return nil
	}
}

func duration(field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, value string) error {
		v, err := time.ParseDuration(value)
		if err != nil {
			return fmt.Errorf("%q is not a duration such as 500ms or 10s", value)
		}
		*field(c) = v
		return nil
	}
}

func number(field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, value string) error {
		v, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", value)
		}
		*field(c) = v
		return nil
	}
}

func logLevel(c *Config, value string) error {
	if err := c.LogLevel.UnmarshalText([]byte(value)); err != nil {
		return fmt.Errorf("%q is none of debug, info, warn, error", value)
	}
	return nil
}
