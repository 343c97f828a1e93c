package integration

import (
	"log/slog"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

// A searchEngine is an engine that the programs can use. With the build tag integration, the scenarios run on
// Elasticsearch too.
type searchEngine struct {
	name string
	// flags returns the flags that make the programs use the engine. Each call selects a place without any index.
	flags func(t *testing.T) []string
}

func embeddedEngine() searchEngine {
	return searchEngine{name: "embedded", flags: func(*testing.T) []string { return nil }}
}

// onEachEngine runs a scenario on every engine, each as a subtest.
func onEachEngine(t *testing.T, scenario func(t *testing.T, d *deployment)) {
	t.Helper()
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) { scenario(t, deploy(t, e)) })
	}
}

// A deployment is a data directory and an engine that a server and an indexer share.
type deployment struct {
	data  string
	flags []string // for both programs
}

func deploy(t *testing.T, e searchEngine) *deployment {
	t.Helper()
	data := t.TempDir()
	return &deployment{data: data, flags: append([]string{"-data", data}, e.flags(t)...)}
}

// index runs a command of the indexer on the deployment and returns its standard output.
func (d *deployment) index(t *testing.T, command string, args ...string) string {
	t.Helper()
	return programs.Run(t, "indexer", d.args(command, args...)...)
}

// args returns a command and its arguments, followed by the flags of the deployment.
func (d *deployment) args(command string, args ...string) []string {
	return append(append([]string{command}, args...), d.flags...)
}

// serve starts a server on the deployment and creates a key for it.
func (d *deployment) serve(t *testing.T, args ...string) *server {
	t.Helper()
	out := programs.Run(t, "server", "keys", "create", "-data", d.data, "-plan", "enterprise", "-name", "test")
	s := start(t, append(args, d.flags...)...)
	s.Key = programs.KeyPattern.FindString(out)
	return s
}

// config returns the configuration that results from the deployment's flags. A request may take as long as patience,
// and scanned pages aren't read, so that no answer depends on an installed Tesseract.
func (d *deployment) config(t *testing.T) config.Config {
	t.Helper()
	c := config.Default()
	flags := commandline.NewFlags("test")
	environment := func(string) (string, bool) { return "", false }
	if err := config.Bind(&c, flags, environment); err != nil {
		t.Fatal(err)
	}
	if err := flags.Parse(d.flags); err != nil {
		t.Fatal(err)
	}
	c.RequestTimeout = programs.Patience
	c.OCR.Mode = config.OCROff
	c.Encoder = config.EncoderOff // matches would depend on how far it is
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

// open opens the deployment's index inside the test.
func (d *deployment) open(t *testing.T) *setup.Index {
	t.Helper()
	x, err := setup.OpenIndex(d.config(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}
