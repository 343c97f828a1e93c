package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/llm/llmtest"
)

// dimensions is the size of the embeddings server's vectors. It differs from the built-in model's.
const dimensions = 256

// people share no word with meaningBrief. The trade of the first is close to it in meaning; the others' are not.
const people = `id,name,job_title,skills
near,Mira Talden,"Artist, drawings and paintings for kids' stories",
far,Oren Vask,Electrician,Wiring
other,Lio Marn,Wedding photographer,Portraits
`

const meaningBrief = `{"job_title":"Illustrator of children's books","explain":true}`

// embeddingsServer starts an embeddings server with vectors derived from the built-in model, because the programs
// reject a model whose vectors carry no meaning.
func embeddingsServer(t *testing.T) *llmtest.Server {
	t.Helper()
	model, err := embedding.Load()
	if err != nil {
		t.Fatal(err)
	}

	s := llmtest.Start(t, dimensions)
	s.Vector = func(text string, dimensions int) []float32 {
		vector := make([]float32, dimensions)
		known, err := model.Embed(context.Background(), []string{text})
		if err != nil || known[0] == nil {
			vector[0] = 1
			return vector
		}

		for i, x := range known[0][:min(len(known[0]), dimensions)] {
			vector[i] = float32(x) / 100
		}

		return vector
	}

	return s
}

// embeddingsFlags returns the flags that configure an embeddings server and its model.
func embeddingsFlags(s *llmtest.Server, model string, dimensions int) []string {
	return []string{
		"-embeddings-url", s.URL, "-embeddings-model", model, "-embeddings-dimensions", strconv.Itoa(dimensions),
	}
}

// peopleFile writes people to a CSV file and returns its path.
func peopleFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "people.csv")
	if err := os.WriteFile(file, []byte(people), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// runFailing runs a program that must end with the given exit code. It returns standard output and standard error.
func runFailing(t *testing.T, code int, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programs.Patience)
	defer cancel()
	out, err := programs.Command(ctx, name, args...).CombinedOutput()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != code {
		t.Fatalf("%s %s: %v, want exit code %d\n%s", name, strings.Join(args, " "), err, code, out)
	}
	return string(out)
}

// serveMeaning starts a server that waits ten seconds for the vector of a brief: long enough for a slow machine, and
// much shorter than the request timeout.
func (d *deployment) serveMeaning(t *testing.T, args ...string) *server {
	t.Helper()
	return d.serve(t, append([]string{"-embeddings-timeout", "10s"}, args...)...)
}

// wantLog waits until the log contains a text. The test may see it a moment after the server has written it.
func (s *server) wantLog(t *testing.T, text string) {
	t.Helper()
	programs.Eventually(t, fmt.Sprintf("%q in the log", text), func() bool {
		return strings.Contains(s.Log.String(), text)
	})
}

// matchMeaning sends meaningBrief and returns why vectors were skipped, or "" if the configured ones were used. The
// person with the closest trade must come first in either case.
func (s *server) matchMeaning(t *testing.T) (skipped string) {
	t.Helper()
	status, response := s.Call(t, http.MethodPost, "/api/v1/match", meaningBrief)
	if status != http.StatusOK {
		t.Fatalf("%d %v", status, response)
	}

	var got struct {
		Matches []struct {
			Freelancer  struct{ ID string }
			Explanation []struct {
				Feature      string
				Contribution float64
			}
		}
		Skipped []struct{ Feature, Reason string }
	}

	text, err := json.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}

	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}

	if len(got.Matches) == 0 || got.Matches[0].Freelancer.ID != "near" {
		t.Fatalf("want the person with the closest trade first: %s", text)
	}

	semantic := 0.
	for _, f := range got.Matches[0].Explanation {
		if f.Feature == "semantic" {
			semantic = f.Contribution
		}
	}

	if semantic <= 0 {
		t.Fatalf("the semantic feature contributes nothing: %s", text)
	}

	for _, k := range got.Skipped {
		if k.Feature == "semantic" {
			skipped += k.Reason
		}
	}

	return skipped
}

// embeddedTexts returns the texts of each request that the embeddings server has received.
func embeddedTexts(t *testing.T, s *llmtest.Server) [][]string {
	t.Helper()
	var texts [][]string
	for _, r := range s.Requests() {
		var body llmtest.EmbeddingsRequest
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, body.Input)
	}
	return texts
}

// The server sends one embeddings request per brief. The embeddings key comes from a file and is never logged.
func TestEmbeddings_OneRequestPerBrief(t *testing.T) {
	const key = "sk-integration-0123456789"
	e := embeddingsServer(t)
	d := deploy(t, embeddedEngine())
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	args := append(embeddingsFlags(e, "deep", dimensions), "-embeddings-key-file", keyFile)
	cmd := programs.Command(t.Context(), "indexer", d.args("load", append([]string{peopleFile(t)}, args...)...)...)
	loadLog, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, loadLog)
	}

	const freelancers = 3
	if !slices.ContainsFunc(embeddedTexts(t, e), func(texts []string) bool { return len(texts) == freelancers }) {
		t.Errorf("requests for %q, want one request for all freelancers", embeddedTexts(t, e))
	}

	s := d.serveMeaning(t, append(args, "-log-level", "debug")...)
	const briefs = 3
	before := len(e.Requests())

	for range briefs {
		if skipped := s.matchMeaning(t); skipped != "" {
			t.Errorf("skipped: %s", skipped)
		}
	}

	want := slices.Repeat([][]string{{"Illustrator of children's books"}}, briefs)
	if diff := cmp.Diff(want, embeddedTexts(t, e)[before:]); diff != "" {
		t.Errorf("requests for %d briefs (-want +got):\n%s", briefs, diff)
	}

	for i, r := range e.Requests() {
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			t.Errorf("request %d: Authorization %q", i, got)
		}
	}

	// Some servers repeat a rejected key in their error message, which must not get into the log.
	e.Always(llmtest.Status(http.StatusUnauthorized, "wrong key "+key, ""))
	if skipped := s.matchMeaning(t); !strings.Contains(skipped, "model deep did not return a vector") {
		t.Errorf("skipped %q, want the name of model deep", skipped)
	}

	s.wantLog(t, "check the key")
	rejected := runFailing(t, 1, "indexer", d.args("load", append([]string{peopleFile(t)}, args...)...)...)
	outputs := map[string]string{"load": string(loadLog), "server": s.Log.String(), "rejected load": rejected}
	for name, text := range outputs {
		if strings.Contains(text, key) {
			t.Errorf("the output of the %s contains the key:\n%s", name, text)
		}
	}

	if !strings.Contains(rejected, "check the key") {
		t.Errorf("the rejected load does not mention the key:\n%s", rejected)
	}
}

// While the embeddings server fails, matching uses the built-in vectors alone and says so in the response. It uses the
// server's vectors again once the server has recovered, even after the circuit breaker has paused the calls.
func TestEmbeddings_ServerFails(t *testing.T) { onEachEngine(t, embeddingsServerFails) }

func embeddingsServerFails(t *testing.T, d *deployment) {
	e := embeddingsServer(t)
	args := embeddingsFlags(e, "deep", dimensions)
	d.index(t, "load", append([]string{peopleFile(t)}, args...)...)
	s := d.serveMeaning(t, args...)

	const fallback = "model deep did not return a vector for the brief; the order is by the built-in vectors alone"
	for name, fault := range map[string]llmtest.Fault{
		"hangs":              llmtest.Hang(), // until -embeddings-timeout ends the call
		"hangs up":           llmtest.HangUp(),
		"is overloaded":      llmtest.Status(http.StatusServiceUnavailable, "loading", "60"),
		"answers wrong size": llmtest.Edit(func(a *llmtest.Embeddings) { a.Data[0].Embedding = []float32{1, 2} }),
	} {
		e.Script(fault)
		if skipped := s.matchMeaning(t); !strings.HasPrefix(skipped, fallback) {
			t.Errorf("the server %s: skipped %q, want %q", name, skipped, fallback)
		}

		if skipped := s.matchMeaning(t); skipped != "" {
			t.Errorf("after the server %s: skipped %q", name, skipped)
		}
	}

	for _, want := range []string{
		"level=WARN msg=\"brief not embedded\" model=deep", "no response in time", "503 Service Unavailable",
		"2 dimensions, 256 are configured",
	} {
		s.wantLog(t, want)
	}

	e.Always(llmtest.HangUp())
	programs.Eventually(t, "a pause of the calls", func() bool {
		before := len(e.Requests())
		if skipped := s.matchMeaning(t); !strings.HasPrefix(skipped, fallback) {
			t.Fatalf("skipped %q, want %q", skipped, fallback)
		}
		return len(e.Requests()) == before
	})

	s.wantLog(t, "calls are paused")
	e.Always(nil)
	programs.Eventually(t, "the end of the pause", func() bool { return s.matchMeaning(t) == "" })
	s.wantLog(t, "is back")
}

// A server doesn't start if the index lacks the vectors of the configured model, and its error says what to do. Without
// embeddings settings it starts, and logs which vectors of the index it does not use.
func TestEmbeddings_Mismatch(t *testing.T) {
	e := embeddingsServer(t)
	deep := deploy(t, embeddedEngine())
	plain := deploy(t, embeddedEngine())
	file := peopleFile(t)
	deep.index(t, "load", append([]string{file}, embeddingsFlags(e, "deep", dimensions)...)...)
	plain.index(t, "load", file)
	tests := []struct {
		name string
		on   *deployment
		args []string
		want []string
	}{
		{
			"another model", deep, embeddingsFlags(e, "deeper", dimensions),
			[]string{
				"has vectors of deep (256 dimensions), but not of the model deeper (256 dimensions)",
				"load the data again", "those of the index",
			},
		},
		{
			"other dimensions", deep, embeddingsFlags(e, "deep", 128),
			[]string{"has vectors of deep (256 dimensions), but not of the model deep (128 dimensions)"},
		},
		{
			"only built-in vectors", plain, embeddingsFlags(e, "deep", dimensions),
			[]string{"has only the built-in vectors, but not of the model deep", "load the data again", "without any"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := runFailing(t, 1, "server", slices.Concat([]string{"-addr", "127.0.0.1:0"}, test.on.flags, test.args)...)
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in:\n%s", want, out)
				}
			}
		})
	}

	before := len(e.Requests())
	s := deep.serveMeaning(t)
	if skipped := s.matchMeaning(t); skipped != "" || len(e.Requests()) != before {
		t.Errorf("without settings: skipped %q, %d requests", skipped, len(e.Requests())-before)
	}

	s.wantLog(t, "deep (256 dimensions)")
}

// A load that gets no vectors, or wrong ones, fails with the reason and leaves the live index unchanged.
func TestEmbeddings_FailedLoad(t *testing.T) {
	e := embeddingsServer(t)
	data := t.TempDir()
	file := peopleFile(t)
	programs.Run(t, "indexer", "load", file, "-data", data)
	before := programs.Run(t, "indexer", "status", "-data", data)
	gone := embeddingsServer(t)
	gone.Always(llmtest.HangUp())
	meaningless := llmtest.Edit(func(a *llmtest.Embeddings) {
		for i := range a.Data {
			a.Data[i].Embedding = llmtest.Vector("any text", dimensions)
		}
	})

	tests := []struct {
		name   string
		server *llmtest.Server
		args   []string
		script []llmtest.Fault
		want   string
	}{
		{"nobody at the address", &llmtest.Server{URL: "http://127.0.0.1:1/v1"}, nil, nil, "connection refused"},
		{"a server that always hangs up", gone, nil, nil, "gave up after attempt 3 of 3"},
		{
			"wrong dimensions", e,
			[]string{"-embeddings-dimensions", "128"},
			nil,
			"returned 256 dimensions, 128 are configured; set the dimensions to 256",
		},
		{
			"a fault during the load", e, nil,
			[]llmtest.Fault{nil, nil, llmtest.Status(http.StatusUnauthorized, "expired", "")}, // after both probes
			`embed with model "deep": model server misconfigured: 401 Unauthorized; check the key: expired`,
		},
		{
			"vectors without meaning", e, nil,
			[]llmtest.Fault{meaningless, meaningless}, // for both probes
			"this model cannot tell them apart; choose one for sentence similarity",
		},
		{
			"a URL that includes the endpoint", &llmtest.Server{URL: e.URL + "/embeddings"}, nil, nil,
			"embeddings settings: model server misconfigured: the base URL ends in /embeddings",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.server.Script(test.script...)
			flags := embeddingsFlags(test.server, "deep", dimensions)
			args := slices.Concat([]string{"load", file, "-data", data}, flags, test.args)
			out := runFailing(t, 1, "indexer", args...)
			if !strings.Contains(out, test.want) || !strings.Contains(out, "The live index is still the same") {
				t.Errorf("no %q in:\n%s", test.want, out)
			}

			if after := programs.Run(t, "indexer", "status", "-data", data); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}

	var out bytes.Buffer
	out.WriteString(runFailing(t, 2, "indexer", "load", file, "-data", data, "-embeddings-model", "deep"))
	out.WriteString(runFailing(t, 2, "server", "-data", data, "-embeddings-url", e.URL))

	for _, want := range []string{"need embeddings-url", "needs embeddings-model"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
}

// A load retries and survives a short outage of the embeddings server.
func TestEmbeddings_LoadSurvivesShortOutage(t *testing.T) {
	e := embeddingsServer(t)
	data := t.TempDir()
	e.Script(nil, llmtest.HangUp(), llmtest.Status(http.StatusServiceUnavailable, "starting", ""))
	args := []string{"load", peopleFile(t), "-data", data}
	out := programs.Run(t, "indexer", append(args, embeddingsFlags(e, "deep", dimensions)...)...)
	if !strings.Contains(out, "3 freelancers indexed") {
		t.Errorf("no 3 freelancers in:\n%s", out)
	}
}

// When a new live index lacks the embeddings server's vectors, a running server uses the built-in ones and says so in
// the response. It uses the server's vectors again after a rollback.
func TestEmbeddings_IndexSwapped(t *testing.T) { onEachEngine(t, embeddingsIndexSwapped) }

func embeddingsIndexSwapped(t *testing.T, d *deployment) {
	e := embeddingsServer(t)
	file := peopleFile(t)
	args := embeddingsFlags(e, "deep", dimensions)
	d.index(t, "load", append([]string{file}, args...)...)
	s := d.serveMeaning(t, args...)
	first := s.Index(t)
	d.index(t, "load", file)
	programs.Eventually(t, "the change to the index without vectors", func() bool { return s.Index(t) != first })
	before := len(e.Requests())
	const want = "the index has no vectors of model deep; the order is by the built-in vectors alone"
	if skipped := s.matchMeaning(t); !strings.HasPrefix(skipped, want) || len(e.Requests()) != before {
		t.Errorf("skipped %q with %d requests, want %q with none", skipped, len(e.Requests())-before, want)
	}
	d.index(t, "rollback")
	programs.Eventually(t, "the change back", func() bool { return s.Index(t) == first })
	if skipped := s.matchMeaning(t); skipped != "" || len(e.Requests()) != before+1 {
		t.Errorf("skipped %q with %d requests, want nothing with one", skipped, len(e.Requests())-before)
	}
}
