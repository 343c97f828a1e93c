package app_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/internal/lastload"
)

const monitoringDir = "../../docs/operations"

// An expression is a PromQL expression of a monitoring file, and the place where it is.
type expression struct{ place, text string }

// alerts returns the rules of alerts.yaml.
func alerts(t *testing.T) (names []string, expressions []expression) {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.UnmarshalWithOptions(readFile(t, "monitoring/alerts.yaml"), &file, yaml.Strict()); err != nil {
		t.Fatal(err)
	}

	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
				t.Errorf("the alert %s has no severity or summary", r.Alert)
			}
			names = append(names, r.Alert)
			expressions = append(expressions, expression{r.Alert, r.Expr})
		}
	}

	return names, expressions
}

// panels returns the expressions of grafana.json.
func panels(t *testing.T) (expressions []expression) {
	t.Helper()
	var file struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(readFile(t, "monitoring/grafana.json"), &file); err != nil {
		t.Fatal(err)
	}
	for _, p := range file.Panels {
		for _, target := range p.Targets {
			expressions = append(expressions, expression{p.Title, target.Expr})
		}
	}
	return expressions
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(monitoringDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

var (
	// samplePattern matches a line of /metrics.
	samplePattern = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? \S+$`)
	// metricPattern matches a metric in an expression, with its selector if it has one.
	metricPattern = regexp.MustCompile(`\b((?:matching|process|go)_[a-z_]+)\b(?:\{([^}]*)\})?`)
	labelPattern  = regexp.MustCompile(`([a-z_]+)(?:=~|!=|=)"`)
	byPattern     = regexp.MustCompile(`\bby \(([a-z_, ]+)\)`)
	textPattern   = regexp.MustCompile(`"[^"]*"`)
)

// exposed returns the labels of all metrics in a scrape, by name.
func exposed(scraped string) map[string][]string {
	labels := map[string][]string{}
	for _, sample := range samplePattern.FindAllStringSubmatch(scraped, -1) {
		labels[sample[1]] = append(labels[sample[1]], "instance", "job") // Prometheus adds these
		for _, l := range labelPattern.FindAllStringSubmatch(sample[2], -1) {
			labels[sample[1]] = append(labels[sample[1]], l[1])
		}
	}
	return labels
}

// Every metric and label in the alerts and the Grafana dashboard is one that a running server exposes.
func TestMonitoring_NamesExist(t *testing.T) {
	c, model := withModel(t)
	model.Play("interview-questions", writer)
	c.Data = t.TempDir()
	s := start(t, c)
	defer s.stop(t)

	if err := s.FillDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", `{"job_title":"Developer"}`)
	s.interview(t, http.StatusOK, twoQuestions)
	_, _, _ = s.SignIns.SignIn(t.Context(), account.Credentials{Email: "nobody@example.com", Password: "wrong"})
	s.Metrics.Rejected("match", "server") // a full gate takes more requests than a test should send

	if err := (lastload.Result{Command: "load"}).Write(c.Data); err != nil {
		t.Fatal(err)
	}
	known := exposed(s.scrape(t))

	names, expressions := alerts(t)
	for _, e := range append(expressions, panels(t)...) {
		metrics := metricPattern.FindAllStringSubmatch(e.text, -1)
		if len(metrics) == 0 {
			t.Errorf("%s: no metric in %s", e.place, e.text)
		}
		var possible []string
		for _, m := range metrics {
			labels, ok := known[m[1]]
			if !ok {
				t.Errorf("%s: the metric %s doesn't exist", e.place, m[1])
			}

			for _, l := range labelPattern.FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(labels, l[1]) {
					t.Errorf("%s: the metric %s has no label %s", e.place, m[1], l[1])
				}
			}

			possible = append(possible, labels...)
		}

		for _, by := range byPattern.FindAllStringSubmatch(e.text, -1) {
			for label := range strings.SplitSeq(by[1], ", ") {
				if !slices.Contains(possible, label) {
					t.Errorf("%s: no metric in %s has the label %s", e.place, e.text, label)
				}
			}
		}

		if text := textPattern.ReplaceAllString(e.text, ""); strings.Count(text, "(") != strings.Count(text, ")") {
			t.Errorf("%s: unbalanced parentheses in %s", e.place, e.text)
		}
	}

	guide := string(readFile(t, "monitor.md"))
	for _, name := range names {
		if !strings.Contains(guide, "| `"+name+"` |") {
			t.Errorf("monitor.md doesn't say what to do about the alert %s", name)
		}
	}

	for name := range known {
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count"), "_sum")
		if strings.HasPrefix(base, "matching_") && !strings.Contains(guide, "`"+base) {
			t.Errorf("monitor.md doesn't describe the metric %s", base)
		}
	}
}

// The values of labels in the alerts are ones that the code uses.
func TestMonitoring_OutcomesExist(t *testing.T) {
	guide := string(readFile(t, "monitor.md"))
	valuePattern := regexp.MustCompile(`(?:outcome|reason|component)(?:=~|=)"([^"]+)"`)
	_, expressions := alerts(t)
	for _, e := range append(expressions, panels(t)...) {
		for _, values := range valuePattern.FindAllStringSubmatch(e.text, -1) {
			for value := range strings.SplitSeq(values[1], "|") {
				if !strings.Contains(guide, "`"+value+"`") {
					t.Errorf("%s: monitor.md doesn't describe the value %s", e.place, value)
				}
			}
		}
	}
}
