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

	"freelancer-matching/internal/embedding"
	"freelancer-matching/llm/llmtest"
)

// wide is the size of the vectors of the embeddings server: none that the built-in model has.
const wide = 256

// people share no word with meaningBrief; the first one's trade is close to it, the others' are not.
const people = `id,name,job_title,skills
near,Mira Talden,"Artist, drawings and paintings for kids' stories",
far,Oren Vask,Electrician,Wiring
other,Lio Marn,Wedding photographer,Portraits
`

const meaningBrief = `{"job_title":"Illustrator of children's books","explain":true}`

// embeddingsServer is a server whose model knows what the built-in one knows: one that knows nothing is refused.
func embeddingsServer(t *testing.T) *llmtest.Server {
	t.Helper()
	model, err := embedding.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := llmtest.Start(t, wide)
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

// settings are the flags that name a server and its model.
func settings(s *llmtest.Server, model string, dimensions int) []string {
	return []string{"-embeddings-url", s.URL, "-embeddings-model", model, "-embeddings-dimensions", strconv.Itoa(dimensions)}
}

// peopleFile is a CSV file of people.
func peopleFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "people.csv")
	if err := os.WriteFile(file, []byte(people), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// fail runs a program that must end with the exit code, and returns what it wrote to both outputs.
func fail(t *testing.T, code int, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := program(ctx, name, args...).CombinedOutput()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != code {
		t.Fatalf("%s %s: %v, want exit code %d\n%s", name, strings.Join(args, " "), err, code, out)
	}
	return string(out)
}

// serveMeaning starts a server with a key. It waits longer for vectors than the default, so that a busy machine is not
// taken for a server that hangs; and shorter than a request may take.
func (d *deployment) serveMeaning(t *testing.T, args ...string) *server {
	t.Helper()
	return d.serve(t, append([]string{"-embeddings-timeout", "3s"}, args...)...)
}

// tells waits until the log has some words; the test reads it a moment after the program writes it.
func (s *server) tells(t *testing.T, words string) {
	t.Helper()
	eventually(t, fmt.Sprintf("%q in the log", words), func() bool { return strings.Contains(s.log.String(), words) })
}

// matchMeaning sends meaningBrief and tells what was skipped of the semantic feature, "" for nothing. Whatever the vectors,
// the one whose trade is near must be found.
func (s *server) matchMeaning(t *testing.T) (skipped string) {
	t.Helper()
	status, answer := s.call(t, http.MethodPost, "/api/v1/match", meaningBrief)
	if status != http.StatusOK {
		t.Fatalf("%d %v", status, answer)
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
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Matches) == 0 || got.Matches[0].Freelancer.ID != "near" {
		t.Fatalf("the one who is close in meaning should come first: %s", text)
	}
	semantic := 0.
	for _, f := range got.Matches[0].Explanation {
		if f.Feature == "semantic" {
			semantic = f.Contribution
		}
	}
	if semantic <= 0 {
		t.Fatalf("the semantic feature adds nothing: %s", text)
	}
	for _, k := range got.Skipped {
		if k.Feature == "semantic" {
			skipped += k.Reason
		}
	}
	return skipped
}

// asked are the texts that an embeddings server was sent, a list for each request.
func asked(t *testing.T, s *llmtest.Server) [][]string {
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

// Loaded and served with an embeddings server, every brief asks it once. Its key comes from a file, and goes nowhere else.
func TestEmbeddings_OneRequestForABrief(t *testing.T) {
	const key = "sk-integration-0123456789"
	e, d := embeddingsServer(t), deploy(t, embeddedEngine())
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(settings(e, "deep", wide), "-embeddings-key-file", keyFile)
	cmd := program(t.Context(), "indexer", d.args("load", append([]string{peopleFile(t)}, args...)...)...)
	loadLog, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, loadLog)
	}
	documents := []string{"Artist, drawings and paintings for kids' stories", "Electrician. Wiring", "Wedding photographer. Portrait Photography"}
	if !slices.ContainsFunc(asked(t, e), func(texts []string) bool { return len(texts) == len(documents) }) {
		t.Errorf("asked %q, want one request for all freelancers", asked(t, e))
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
	if diff := cmp.Diff(want, asked(t, e)[before:]); diff != "" {
		t.Errorf("requests for %d briefs (-want +got):\n%s", briefs, diff)
	}
	for i, r := range e.Requests() {
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			t.Errorf("request %d: Authorization %q", i, got)
		}
	}
	// A server that refuses the key, and repeats it as some do, is the likeliest way for it to get into a log.
	e.Always(llmtest.Status(http.StatusUnauthorized, "wrong key "+key, ""))
	if skipped := s.matchMeaning(t); !strings.Contains(skipped, "model deep did not return a vector") {
		t.Errorf("skipped %q, want a word about model deep", skipped)
	}
	s.tells(t, "check the key")
	refused := fail(t, 1, "indexer", d.args("load", append([]string{peopleFile(t)}, args...)...)...)
	for what, text := range map[string]string{"load": string(loadLog), "server": s.log.String(), "refused load": refused} {
		if strings.Contains(text, key) {
			t.Errorf("the output of the %s tells the key:\n%s", what, text)
		}
	}
	if !strings.Contains(refused, "check the key") {
		t.Errorf("the refused load does not tell of the key:\n%s", refused)
	}
}

// When the embeddings server hangs or breaks off, a brief is answered by the built-in vectors, and says so; when it works
// again, so do its vectors, also after it was left alone for failing all the time.
func TestEmbeddings_ServerAway(t *testing.T) { onEachEngine(t, embeddingsServerAway) }

func embeddingsServerAway(t *testing.T, d *deployment) {
	e := embeddingsServer(t)
	args := settings(e, "deep", wide)
	d.index(t, "load", append([]string{peopleFile(t)}, args...)...)
	s := d.serveMeaning(t, args...)

	const instead = "model deep did not return a vector for the brief; model "
	for name, fault := range map[string]llmtest.Fault{
		"hangs":              llmtest.Hang(), // longer than any request may take: only -embeddings-timeout can end it
		"hangs up":           llmtest.HangUp(),
		"is overloaded":      llmtest.Status(http.StatusServiceUnavailable, "loading", "60"),
		"answers wrong size": llmtest.Edit(func(a *llmtest.Embeddings) { a.Data[0].Embedding = []float32{1, 2} }),
	} {
		e.Script(fault)
		if skipped := s.matchMeaning(t); !strings.HasPrefix(skipped, instead) {
			t.Errorf("the server %s: skipped %q, want %q", name, skipped, instead)
		}
		if skipped := s.matchMeaning(t); skipped != "" {
			t.Errorf("after the server %s: skipped %q", name, skipped)
		}
	}
	for _, want := range []string{
		"level=WARN msg=\"brief not embedded\" model=deep", "no response in time", "503 Service Unavailable", "2 dimensions, 256 are configured",
	} {
		s.tells(t, want)
	}

	e.Always(llmtest.HangUp())
	eventually(t, "leaving the embeddings server alone", func() bool {
		before := len(e.Requests())
		if skipped := s.matchMeaning(t); !strings.HasPrefix(skipped, instead) {
			t.Fatalf("skipped %q, want %q", skipped, instead)
		}
		return len(e.Requests()) == before
	})
	s.tells(t, "calls are paused")
	e.Always(nil)
	eventually(t, "the return to the embeddings server", func() bool { return s.matchMeaning(t) == "" })
	s.tells(t, "is back")
}

// A server does not start on an index without the vectors that it is told to use, and says what to do. Told of none, it
// starts, and says what it leaves unused.
func TestEmbeddings_Mismatch(t *testing.T) {
	e := embeddingsServer(t)
	deep, plain := deploy(t, embeddedEngine()), deploy(t, embeddedEngine())
	file := peopleFile(t)
	deep.index(t, "load", append([]string{file}, settings(e, "deep", wide)...)...)
	plain.index(t, "load", file)
	tests := []struct {
		name string
		on   *deployment
		args []string
		want []string
	}{
		{
			"another model", deep, settings(e, "deeper", wide),
			[]string{"has vectors of deep (256 dimensions), but not of the model deeper (256 dimensions)", "load the data again",
				"those of the index",
			},
		},
		{
			"other dimensions", deep, settings(e, "deep", 128),
			[]string{"has vectors of deep (256 dimensions), but not of the model deep (128 dimensions)"},
		},
		{
			"only built-in vectors", plain, settings(e, "deep", wide),
			[]string{"has only the built-in vectors, but not of the model deep", "load the data again", "without any"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := fail(t, 1, "server", slices.Concat([]string{"-addr", "127.0.0.1:0"}, test.on.flags, test.args)...)
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
	s.tells(t, "deep (256 dimensions)")
}

// A load that gets no vectors, or wrong ones, fails with a reason, and what was live stays so.
func TestEmbeddings_FailedLoad(t *testing.T) {
	e, data := embeddingsServer(t), t.TempDir()
	file := peopleFile(t)
	run(t, "indexer", "load", file, "-data", data)
	before := run(t, "indexer", "status", "-data", data)
	gone := embeddingsServer(t)
	gone.Always(llmtest.HangUp())
	tests := []struct {
		name   string
		server *llmtest.Server
		args   []string
		script []llmtest.Fault
		want   string
	}{
		{"nobody at the address", &llmtest.Server{URL: "http://127.0.0.1:1/v1"}, nil, nil, "connection refused"},
		{"a server that always hangs up", gone, nil, nil, "gave up after attempt 3 of 3"},
		{"wrong dimensions", e, []string{"-embeddings-dimensions", "128"}, nil, "returned 256 dimensions, 128 are configured; set the dimensions to 256"},
		{
			"a fault half-way", e, nil,
			[]llmtest.Fault{nil, llmtest.Status(http.StatusUnauthorized, "expired", "")},
			`vectors of model "deep": model server misconfigured: 401 Unauthorized; check the key: expired`,
		},
		{
			"a model that knows nothing", e, nil,
			[]llmtest.Fault{llmtest.Edit(func(a *llmtest.Embeddings) {
				for i := range a.Data {
					a.Data[i].Embedding = llmtest.Vector(strconv.Itoa(i), wide)
				}
			})},
			"this model cannot tell them apart; choose one for sentence similarity",
		},
		{"a URL with the path too much", &llmtest.Server{URL: e.URL + "/embeddings"}, nil, nil, "embeddings settings: model server misconfigured: the base URL ends in /embeddings"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.server.Script(test.script...)
			args := slices.Concat([]string{"load", file, "-data", data}, settings(test.server, "deep", wide), test.args)
			out := fail(t, 1, "indexer", args...)
			if !strings.Contains(out, test.want) || !strings.Contains(out, "The live index is still the same") {
				t.Errorf("no %q in:\n%s", test.want, out)
			}
			if after := run(t, "indexer", "status", "-data", data); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
	var out bytes.Buffer
	out.WriteString(fail(t, 2, "indexer", "load", file, "-data", data, "-embeddings-model", "deep"))
	out.WriteString(fail(t, 2, "server", "-data", data, "-embeddings-url", e.URL))
	for _, want := range []string{"need embeddings-url", "needs embeddings-model"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
}

// A server that is away for a moment, once a load is under way, does not end it.
func TestEmbeddings_LoadOutlastsAFault(t *testing.T) {
	e, data := embeddingsServer(t), t.TempDir()
	e.Script(nil, llmtest.HangUp(), llmtest.Status(http.StatusServiceUnavailable, "starting", ""))
	out := run(t, "indexer", append([]string{"load", peopleFile(t), "-data", data}, settings(e, "deep", wide)...)...)
	if !strings.Contains(out, "3 freelancers indexed") {
		t.Errorf("no 3 freelancers in:\n%s", out)
	}
}

// An index without the embeddings server's vectors, swapped in under a running server, is answered by the built-in ones,
// and says so; with the next one that has them all is well.
func TestEmbeddings_IndexSwapped(t *testing.T) { onEachEngine(t, embeddingsIndexSwapped) }

func embeddingsIndexSwapped(t *testing.T, d *deployment) {
	e := embeddingsServer(t)
	file, args := peopleFile(t), settings(e, "deep", wide)
	d.index(t, "load", append([]string{file}, args...)...)
	s := d.serveMeaning(t, args...)
	first := s.index(t)
	d.index(t, "load", file)
	eventually(t, "the change to the index without vectors", func() bool { return s.index(t) != first })
	before := len(e.Requests())
	const want = "the index has no vectors of model deep; model "
	if skipped := s.matchMeaning(t); !strings.HasPrefix(skipped, want) || len(e.Requests()) != before {
		t.Errorf("skipped %q with %d requests, want %q with none", skipped, len(e.Requests())-before, want)
	}
	d.index(t, "rollback")
	eventually(t, "the change back", func() bool { return s.index(t) == first })
	if skipped := s.matchMeaning(t); skipped != "" || len(e.Requests()) != before+1 {
		t.Errorf("skipped %q with %d requests, want nothing with one", skipped, len(e.Requests())-before)
	}
}
