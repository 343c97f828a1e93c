package config

import (
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Setting is one setting as it appears on the command line, in the environment and in the documentation.
type Setting struct {
	Flag    string
	Default string // as documented; "none" if the setting is off by default
	Usage   string // with the placeholder of the value in backquotes, as in package flag
	set     func(value string) error
	boolean bool
}

// Variable returns the setting's environment variable: MATCHING_LOG_LEVEL for the flag log-level.
func (s Setting) Variable() string {
	return "MATCHING_" + strings.ToUpper(strings.ReplaceAll(s.Flag, "-", "_"))
}

// Group is a titled list of settings.
type Group struct {
	Title    string
	Settings []Setting
}

// Groups returns all settings in the order of the documentation. Setting one changes c.
func Groups(c *Config) []Group {
	return []Group{
		{"Server", serverSettings(c)},
		{"Accounts and network", accessSettings(c)},
		{"Notices", noticeSettings(c)},
		{"Retention", retentionSettings(c)},
		{"Databases", databaseSettings(c)},
		{"Embeddings", embeddingsSettings(c)},
		{"Language model", llmSettings(c)},
		{"Elasticsearch", elasticsearchSettings(c)},
	}
}

func serverSettings(c *Config) []Setting {
	return []Setting{
		{
			Flag: "addr", Default: c.Addr, set: text(&c.Addr),
			Usage: "`host:port` to listen on; port 0 picks a free one",
		},
		{
			Flag: "data", Default: c.Data, set: text(&c.Data),
			Usage: "`folder` with the indexes and the database",
		},
		{
			Flag: "demo", Default: "false", set: boolean(&c.Demo), boolean: true,
			Usage: "serve 2,000 generated freelancers from a temporary folder, and print an API key",
		},
		{
			Flag: "test", Default: "false", set: boolean(&c.Test), boolean: true,
			Usage: "serve tests of clients: fixed API keys, generated freelancers in memory, and operations under /test that " +
				"reset the server, set its clock and cause errors; never in production",
		},

		{
			Flag: "log-level", Default: "info", set: logLevel(&c.LogLevel),
			Usage: "lowest `level` that is logged: debug, info, warn or error",
		},
		{
			Flag: "log-json", Default: "false", set: boolean(&c.LogJSON), boolean: true,
			Usage: "log one JSON object per line",
		},

		{
			Flag: "request-timeout", Default: c.RequestTimeout.String(), set: duration(&c.RequestTimeout),
			Usage: "time limit for one request, as a `duration`; interviews get 28s",
		},
		{
			Flag: "max-matches", Default: strconv.Itoa(c.MaxMatches), set: number(&c.MaxMatches),
			Usage: "maximum `number` of matches computed at once, three quarters of them for one account; " +
				"further requests wait briefly, then get 429 or 503",
		},
		{
			// The default depends on the machine, and the generated page must not.
			Flag: "max-parses", Default: "twice the number of cores", set: number(&c.MaxParses),
			Usage: "maximum `number` of resumes parsed at once, three quarters of them for one account; further requests wait " +
				"for half of request-timeout, then get 429 or 503",
		},
		{
			Flag: "upload-max-mb", Default: strconv.Itoa(c.UploadMaxMB), set: number(&c.UploadMaxMB),
			Usage: "size of the largest file that can be uploaded for a load, as a `number` of megabytes; the data folder " +
				"needs room for up to eight",
		},

		{
			Flag: "ocr", Default: c.OCR.Mode, set: text(&c.OCR.Mode),
			Usage: "`whether` Tesseract recognizes the text of scanned PDF pages: auto (if it is installed), off or required",
		},
		{
			Flag: "ocr-languages", Default: strings.Join(c.OCR.Languages, ","), set: list(&c.OCR.Languages),
			Usage: "`names` of Tesseract's data for the languages of scanned pages, such as eng,deu,fra; each one makes " +
				"recognition slower; separate with commas",
		},

		{
			Flag: "skills-file", Default: "none", set: text(&c.SkillsFile),
			Usage: "`file` with your own skills and synonyms; use the same for server and indexer, and reindex after a change",
		},
		{
			Flag: "exchange-rates", Default: "none", set: text(&c.ExchangeRates.File),
			Usage: "`file` with dated exchange rates for amounts in other currencies than the data set's: XML of the European " +
				"Central Bank, or JSON; read again when it changes",
		},
		{
			Flag: "exchange-rates-max-age", Default: Days(c.ExchangeRates.MaxAge), set: days(&c.ExchangeRates.MaxAge),
			Usage: "`period` after which exchange rates count as old: the log and /health then warn",
		},
		{
			Flag: "learning-groups", Default: "none", set: text(&c.LearningGroups),
			Usage: "`file` in CSV with groups of freelancers, as for the bias audit; a ranking that would lower the " +
				"exposure of a group by more than 5 % is not published after learning",
		},

		{
			// Without a proxy, no load balancer has to notice, and a developer doesn't want to wait.
			Flag: "drain-delay", Default: drainDefault.String() + "; 0s on loopback without a proxy",
			set: duration(&c.DrainDelay),
			Usage: "`duration` after SIGTERM in which /readyz fails and new requests are still served, so that load " +
				"balancers can react; Ctrl-C skips it",
		},
		{
			Flag: "shutdown-timeout", Default: c.ShutdownTimeout.String(), set: duration(&c.ShutdownTimeout),
			Usage: "time limit for open requests at shutdown, as a `duration`",
		},

		{
			// An address of their own keeps metrics away from clients.
			Flag: "metrics-addr", Default: "none", set: text(&c.MetricsAddr),
			Usage: "`host:port` that serves /metrics for Prometheus; without a host, on loopback only",
		},
		{
			Flag: "otlp-endpoint", Default: "none", set: text(&c.OTLPEndpoint),
			Usage: "base `URL` of an OpenTelemetry collector that receives traces by OTLP over HTTP, such as " +
				"http://127.0.0.1:4318",
		},
		{
			Flag: "pprof", Default: "false", set: boolean(&c.Pprof), boolean: true,
			Usage: "serve profiles of CPU and memory at /debug/pprof/ on metrics-addr, which must be on loopback",
		},
	}
}

func accessSettings(c *Config) []Setting {
	return []Setting{
		{
			// Read again when it changes, because certificates are renewed more often than servers are restarted.
			Flag: "tls-cert", Default: "none", set: text(&c.TLS.Cert),
			Usage: "PEM `file` with the server's certificate and its intermediates, to serve https; read again when it changes",
		},
		{
			Flag: "tls-key", Default: "none", set: text(&c.TLS.Key),
			Usage: "PEM `file` with the private key of that certificate",
		},
		{
			Flag: "insecure-http", Default: "false", set: boolean(&c.InsecureHTTP), boolean: true,
			Usage: "accept plain HTTP from other machines, on a network that you trust; without it, the server needs a " +
				"certificate, an https public-url, or an addr on this machine",
		},

		{
			Flag: "public-url", Default: "addr", set: text(&c.PublicURL),
			Usage: "`URL` of the dashboard as people reach it, such as https://match.example.com; set it behind a proxy. " +
				"With https, cookies are marked secure",
		},
		{
			// Other values of the Host header are rejected, which stops DNS rebinding.
			Flag: "hosts", Default: "none", set: list(&c.Hosts),
			Usage: "further host `names` under which clients reach the server, such as matching.internal; separate with " +
				"commas. IP addresses, localhost, and the hosts of public-url and addr are always accepted",
		},
		{
			// From anyone else, the header could be invented to get around limits by address.
			Flag: "trusted-proxies", Default: "none", set: list(&c.TrustedProxies),
			Usage: "`networks` of proxies whose X-Forwarded-For header is trusted, such as 10.0.0.0/8; separate with commas",
		},
		{
			// Webhooks are sent to addresses that customers choose, which must not reach the operator's network.
			Flag: "webhook-allow", Default: "none", set: list(&c.WebhookAllow),
			Usage: "host `names` and networks without a public address that webhooks may be sent to, also over http, such as " +
				"hooks.internal, hooks.internal:8443 or 10.1.0.0/16; separate with commas",
		},

		{
			Flag: "sign-up", Default: c.SignUp, set: text(&c.SignUp),
			Usage: "`who` can create an account on the dashboard: open (everyone), invitation or closed",
		},
		{
			Flag: "admin-email", Default: "none", set: text(&c.AdminEmail),
			Usage: "email `address` of the first administrator, whom the server creates if it has no users; without it, it " +
				"prints a link for that",
		},
		{
			Flag: "admin-password-file", Default: "none",
			set:   secretFile("admin-password-file", "the password of the first administrator", &c.AdminPassword),
			Usage: "`file` with the password of the first administrator; it isn't read any more once there are users",
		},
		{
			Flag: "first-key-file", Default: "none", set: text(&c.FirstKeyFile),
			Usage: "`file` to which the server writes an API key on the plan enterprise, if it has no keys yet",
		},
	}
}

func noticeSettings(c *Config) []Setting {
	n := &c.Notices
	return []Setting{
		{
			Flag: "smtp-url", Default: "none", set: text(&n.SMTP),
			Usage: "`URL` of a mail server that sends people notices of changed credentials: smtp://user@mail.example.com " +
				"(port 587, STARTTLS), smtps:// (port 465, TLS), or smtp://host:25?tls=off on a network that you trust",
		},
		{
			Flag: "smtp-password-file", Default: "none",
			set:   secretFile("smtp-password-file", "the password of the mail server's user", &n.SMTPPassword),
			Usage: "`file` with the password of that user",
		},
		{
			Flag: "smtp-from", Default: "none", set: text(&n.From),
			Usage: "`address` of the sender, such as matching@example.com, with or without a name",
		},
		{
			Flag: "smtp-ca-file", Default: "none", set: certificateFile(&n.CACert),
			Usage: "PEM `file` with the certificate of the authority that signed the mail server's",
		},

		{
			Flag: "notice-webhook-url", Default: "none", set: text(&n.WebhookURL),
			Usage: "`URL` that receives notices of changed credentials of all people as signed webhooks, instead of mails or " +
				"besides",
		},
		{
			Flag: "notice-webhook-key-file", Default: "none",
			set:   secretFile("notice-webhook-key-file", "whsec_ and a key in base64", &n.WebhookSecret),
			Usage: "`file` with the secret that signs these webhooks: whsec_ followed by 24 to 256 bytes in base64",
		},
	}
}

func retentionSettings(c *Config) []Setting {
	r := &c.Retention
	return []Setting{
		{
			Flag: "audit-retention", Default: Days(r.Audit), set: days(&r.Audit),
			Usage: "`period` after which entries of the audit log lose email addresses, network addresses and user IDs",
		},
		{
			Flag: "usage-retention", Default: Days(r.Usage), set: days(&r.Usage),
			Usage: "`period` after which request counts and failed requests of API keys are deleted",
		},

		{
			// Dead letters are whole records of people, and both programs delete them.
			Flag: "dead-letter-retention", Default: Days(r.DeadLetters), set: days(&r.DeadLetters),
			Usage: "`period` after which dead letters are deleted; use the same for server and indexer",
		},
		{
			// The previous index is what a rollback needs, so it is never removed.
			Flag: "keep-indexes", Default: strconv.Itoa(r.Indexes), set: indexes(&r.Indexes),
			Usage: "`number` of finished indexes to keep when a new one goes live, including the live and the previous one, " +
				"which are never removed; all to keep all",
		},

		{
			Flag: "interview-retention", Default: Days(r.Interviews), set: days(&r.Interviews),
			Usage: "`period` after which an interview is deleted, from its start and again from its evaluation",
		},
		{
			Flag: "event-retention", Default: Days(r.Events), set: days(&r.Events),
			Usage: "`period` after which events about the freelancers of matches are deleted, with the record of their match",
		},
	}
}

func databaseSettings(c *Config) []Setting {
	return []Setting{
		{
			Flag: "database-url", Default: "none", set: text(&c.Database.URL),
			Usage: "`URL` of a PostgreSQL database for accounts, keys and interviews, such as " +
				"postgres://matching@db/matching; without it, SQLite is used",
		},
		{
			// A password in the URL would appear in the list of processes.
			Flag: "database-password-file", Default: "none",
			set:   secretFile("database-password-file", "the database password", &c.Database.Password),
			Usage: "`file` with the password for PostgreSQL",
		},
		{
			Flag: "secrets-key-file", Default: "none",
			set: secretFile("secrets-key-file", "keys of 32 bytes in base64, one in each line", &c.Database.Secrets),
			Usage: "`file` with keys that encrypt the secrets of second factors and webhooks in the database; the first key " +
				"encrypts, and all decrypt",
		},

		{
			Flag: "redis-url", Default: "none", set: text(&c.Quota.RedisURL),
			Usage: "`URL` of a Redis server that counts requests instead of the database, such as redis://cache:6379/0",
		},
		{
			Flag: "redis-password-file", Default: "none",
			set:   secretFile("redis-password-file", "the Redis password", &c.Quota.RedisPassword),
			Usage: "`file` with the password for Redis",
		},
	}
}

func embeddingsSettings(c *Config) []Setting {
	return []Setting{
		{
			Flag: "encoder", Default: c.Encoder, set: text(&c.Encoder),
			Usage: "`whether` the built-in sentence encoder improves the order of the best matches: auto (on without " +
				"embeddings-url, on processors with AVX2), on or off; it encodes profiles in the background",
		},
		{
			Flag: "embeddings-url", Default: "none", set: text(&c.Embeddings.URL),
			Usage: "base `URL` of an OpenAI-compatible embeddings API whose model improves the order of the best matches; " +
				"load and serve with the same one",
		},
		{
			Flag: "embeddings-key-file", Default: "none",
			set:   secretFile("embeddings-key-file", "the key of the embeddings API", &c.Embeddings.Key),
			Usage: "`file` with the API key, sent as a bearer token",
		},

		{
			Flag: "embeddings-model", Default: "none", set: text(&c.Embeddings.Model),
			Usage: "`name` of the embeddings model",
		},
		{
			// Stated rather than taken from a response, so that a wrong model is noticed.
			Flag: "embeddings-dimensions", Default: "none", set: number(&c.Embeddings.Dimensions),
			Usage: "`number` of dimensions of the model's vectors",
		},

		{
			Flag: "embeddings-query-prefix", Default: "none", set: text(&c.Embeddings.QueryPrefix),
			Usage: "`text` that precedes briefs, if the model was trained with one, such as \"query: \" with the space",
		},
		{
			Flag: "embeddings-passage-prefix", Default: "none", set: text(&c.Embeddings.PassagePrefix),
			Usage: "`text` that precedes profiles, such as \"passage: \"; load and serve with the same one",
		},

		{
			Flag: "embeddings-timeout", Default: c.Embeddings.Timeout.String(), set: duration(&c.Embeddings.Timeout),
			Usage: "time limit for the vector of a brief, as a `duration`; after it, the built-in vectors are used alone and " +
				"the response says so",
		},
	}
}

func llmSettings(c *Config) []Setting {
	return []Setting{
		{
			Flag: "llm-url", Default: "none", set: text(&c.LLM.URL),
			Usage: "base `URL` of an OpenAI-compatible chat API that conducts interviews and judges unknown skills; without " +
				"it, a question bank conducts interviews and makes no hiring recommendation",
		},
		{
			Flag: "llm-key-file", Default: "none",
			set:   secretFile("llm-key-file", "the key of the language model's API", &c.LLM.Key),
			Usage: "`file` with the API key, sent as a bearer token",
		},
		{
			Flag: "llm-model", Default: "none", set: text(&c.LLM.Model),
			Usage: "`name` of the language model",
		},

		{
			// The upper limit leaves the question bank time to take over before the request itself expires.
			Flag: "llm-timeout", Default: c.LLM.Timeout.String(), set: duration(&c.LLM.Timeout),
			Usage: "time limit for the model's work on one request, as a `duration` of up to 25s; after it, the question bank " +
				"takes over and the response says so",
		},

		{
			Flag: "llm-tokens-a-day", Default: strconv.Itoa(c.LLM.TokensADay), set: number(&c.LLM.TokensADay),
			Usage: "`number` of tokens one account may use per day (UTC); 0 for no limit",
		},
		{
			// With open sign-up, a limit per account alone doesn't bound the bill.
			Flag: "llm-service-tokens-a-day", Default: strconv.Itoa(c.LLM.ServiceTokensADay),
			set:   number(&c.LLM.ServiceTokensADay),
			Usage: "`number` of tokens all accounts together may use per day (UTC); 0 for no limit",
		},
		{
			Flag: "llm-words-a-day", Default: strconv.Itoa(c.LLM.WordsADay), set: number(&c.LLM.WordsADay),
			Usage: "`number` of unknown words the model may judge for one account per day (UTC); 0 for none",
		},
	}
}

func elasticsearchSettings(c *Config) []Setting {
	return []Setting{
		{
			Flag: "elasticsearch-url", Default: "none", set: list(&c.Elasticsearch.URLs),
			Usage: "`URLs` of Elasticsearch 8 nodes that hold the indexes instead of the data folder; separate with commas",
		},
		{
			Flag: "elasticsearch-user", Default: "none", set: text(&c.Elasticsearch.Username),
			Usage: "user `name` for Elasticsearch",
		},
		{
			Flag: "elasticsearch-password-file", Default: "none",
			set:   secretFile("elasticsearch-password-file", "the Elasticsearch password", &c.Elasticsearch.Password),
			Usage: "`file` with the password of that user",
		},
		{
			Flag: "elasticsearch-api-key-file", Default: "none",
			set:   secretFile("elasticsearch-api-key-file", "an Elasticsearch API key", &c.Elasticsearch.APIKey),
			Usage: "`file` with an encoded API key; replaces user and password",
		},
		{
			Flag: "elasticsearch-ca-file", Default: "none", set: certificateFile(&c.Elasticsearch.CACert),
			Usage: "PEM `file` with the certificate of the authority that signed the nodes' certificates",
		},

		{
			Flag: "elasticsearch-prefix", Default: "none", set: text(&c.Elasticsearch.Prefix),
			Usage: "`text` at the start of all index names, so that several services can share a cluster",
		},
		{
			Flag: "elasticsearch-shards", Default: strconv.Itoa(c.Elasticsearch.Shards),
			set: number(&c.Elasticsearch.Shards), Usage: "`number` of shards of new indexes",
		},
		{
			Flag: "elasticsearch-replicas", Default: strconv.Itoa(c.Elasticsearch.Replicas),
			set: number(&c.Elasticsearch.Replicas), Usage: "`number` of replicas of new indexes",
		},
		{
			Flag: "elasticsearch-writers", Default: strconv.Itoa(c.Elasticsearch.Writers),
			set:   number(&c.Elasticsearch.Writers),
			Usage: "`number` of bulk requests the indexer sends at once; more requests load faster but slow down searches",
		},
	}
}

// Bind applies the environment to c and defines a flag for each of the named settings, or for all if there are no
// names. It returns all faults of the environment, joined.
func Bind(c *Config, flags *flag.FlagSet, environment func(string) (string, bool), names ...string) error {
	var errs []error
	for _, group := range Groups(c) {
		for _, s := range group.Settings {
			if len(names) > 0 && !slices.Contains(names, s.Flag) {
				continue
			}

			if value, ok := environment(s.Variable()); ok && value != "" {
				if err := s.set(value); err != nil {
					errs = append(errs, fmt.Errorf("environment variable %s: %w", s.Variable(), err))
				}
			}

			usage := s.Usage + " (" + s.Variable() + ", default " + s.Default + ")"
			if s.boolean {
				flags.BoolFunc(s.Flag, usage, s.set)
			} else {
				flags.Func(s.Flag, usage, s.set)
			}
		}
	}

	return errors.Join(errs...)
}

func certificateFile(target *[]byte) func(string) error {
	return func(name string) error {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !x509.NewCertPool().AppendCertsFromPEM(data) {
			return fmt.Errorf("%s contains no certificate in PEM (-----BEGIN CERTIFICATE-----)", name)
		}
		*target = data
		return nil
	}
}

func list(target *[]string) func(string) error {
	return func(value string) error {
		items := strings.Split(value, ",")
		for i := range items {
			if items[i] = strings.TrimSpace(items[i]); items[i] == "" {
				return fmt.Errorf("%q has an empty item; separate items with single commas", value)
			}
		}
		*target = items
		return nil
	}
}

func text(target *string) func(string) error {
	return func(value string) error {
		*target = value
		return nil
	}
}

func boolean(target *bool) func(string) error {
	return parsed(target, "true or false", strconv.ParseBool)
}

func duration(target *time.Duration) func(string) error {
	return parsed(target, "a duration such as 500ms or 10s", time.ParseDuration)
}

// days accepts a number of days such as 30d, and durations.
func days(target *time.Duration) func(string) error {
	return parsed(target, "a number of days such as 30d", func(value string) (time.Duration, error) {
		text, inDays := strings.CutSuffix(value, "d")
		if !inDays {
			return time.ParseDuration(value)
		}
		n, err := strconv.ParseUint(text, 10, 16)
		return time.Duration(n) * Day, err
	})
}

func number(target *int) func(string) error {
	return parsed(target, "a whole number", strconv.Atoi)
}

// indexes accepts a number of indexes, at least 2, and all, which it stores as 0.
func indexes(target *int) func(string) error {
	return parsed(target, "all or a whole number from 2", func(value string) (int, error) {
		if value == "all" {
			return 0, nil
		}
		n, err := strconv.Atoi(value)
		if err == nil && n < 2 {
			err = errors.New("below 2")
		}
		return n, err
	})
}

func logLevel(target *slog.Level) func(string) error {
	return parsed(target, "debug, info, warn or error", func(value string) (level slog.Level, err error) {
		return level, level.UnmarshalText([]byte(value))
	})
}

// parsed stores what parse returns, or reports which kind of value was expected.
func parsed[T any](target *T, expected string, parse func(string) (T, error)) func(string) error {
	return func(value string) error {
		v, err := parse(value)
		if err != nil {
			return fmt.Errorf("%q is not %s", value, expected)
		}
		*target = v
		return nil
	}
}
