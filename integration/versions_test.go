//go:build integration

package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/freelancer-matching/service/integration/programs"
)

const (
	versionClients = 6  // that read and change at the same time
	versionSteps   = 15 // requests of each
	versionKills   = 3
	versionPeople  = 2 // few, so that clients meet
)

// A versionStep is a request about the record of one person. Records differ in their job title only, and each write has
// a title of its own.
type versionStep struct {
	person string
	title  string // to write; "": read
	// ifMatch is the version that the record must have, and expected is the title of the record with that version;
	// "": any.
	ifMatch, expected string
}

// A versionResult is what a client learned from the response.
type versionResult struct {
	unknown  bool   // the change may have been made, or not, or may still be
	title    string // read
	version  string // read
	mismatch bool   // nothing was changed, because the record had another version
}

// oneRecord describes what clients may see of a person's record: requests take effect one after the other.
var oneRecord = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		title, request, result := state.(string), input.(versionStep), output.(versionResult)
		matches := request.expected == "" || request.expected == title
		switch {
		case request.title == "":
			return result.title == title, title
		case result.mismatch:
			return !matches, title
		case !matches:
			return result.unknown, title
		default:
			return true, request.title
		}
	},
}

// A versioned is a set of servers that share a search engine, with the history of the requests to them.
type versioned struct {
	servers []atomic.Pointer[server]
	clock   atomic.Int64 // logical: a request that ended before another began came first

	mu      sync.Mutex
	history map[string][]porcupine.Operation // by person
}

// Three servers share an Elasticsearch, and clients read and change the same people through all of them while servers
// are killed. What they see is what one server that takes one request at a time would show (Herlihy and Wing, 1990):
// no acknowledged change is lost, none is made on another version than the client named, and none is seen and then
// gone.
func TestVersions_OnSeveralServers(t *testing.T) {
	d := deploy(t, elasticsearchEngine())
	d.index(t, "load", peopleFile(t))
	v := &versioned{servers: make([]atomic.Pointer[server], 3), history: make(map[string][]porcupine.Operation)}
	created := programs.Run(t, "server", "keys", "create", "-data", d.data, "-plan", "enterprise", "-name", "test")
	key := programs.KeyPattern.FindString(created)
	id := regexp.MustCompile(`key_[0-9A-Za-z]+`).FindString(created)
	programs.Run(t, "server", "keys", "grant", "-data", d.data, id, "data:read", "data:write")

	for i := range v.servers {
		v.start(t, d, i, key)
	}

	for n := range versionPeople {
		v.do(t, 0, versionStep{person: fmt.Sprintf("v%d", n), title: fmt.Sprintf("Developer %d", n)})
	}

	var clients, killer sync.WaitGroup
	strikes := make(chan struct{}, versionKills)
	killer.Go(func() {
		for n := 0; n < versionKills; n++ {
			<-strikes
			victim := v.servers[n%len(v.servers)].Load()
			_ = victim.Cmd.Process.Kill()
			_ = victim.Cmd.Wait() // it was killed
			v.start(t, d, n%len(v.servers), key)
		}
	})

	for client := range versionClients {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(client)))
			for n := range versionSteps {
				if client < versionKills && n == versionSteps/3 {
					strikes <- struct{}{}
				}

				v.readOrChange(t, random, fmt.Sprintf("Developer %d of %d", n, client))
			}
		})
	}
	clients.Wait()
	killer.Wait()

	counts := make(map[string]int)
	for person, history := range v.history {
		for _, o := range history {
			counts[kindOf(o)]++
		}

		if result := porcupine.CheckOperationsTimeout(oneRecord, history, programs.Patience); result != porcupine.Ok {
			t.Errorf("the history of %s is %s:\n%s", person, result, listed(history))
		}
	}

	// A test without conflicts, or in which nothing was changed, would prove little.
	t.Logf("%v", counts)
	if counts["read"] == 0 || counts["change"] == 0 || counts["mismatch"] == 0 {
		t.Errorf("got %v, want some of each kind", counts)
	}
}

// The check finds what it is for: a change that was acknowledged and lost, one that was made on another version, and a
// value that is seen and then gone.
func TestVersions_CheckFindsFaults(t *testing.T) {
	write := func(title, expected string) versionStep { return versionStep{title: title, expected: expected} }
	for name, history := range map[string][]porcupine.Operation{
		"lost": {
			{Input: write("a", ""), Call: 1, Output: versionResult{}, Return: 2},
			{Input: write("b", ""), Call: 3, Output: versionResult{}, Return: 4},
			{Input: versionStep{}, Call: 5, Output: versionResult{title: "a"}, Return: 6},
		},
		"another version": {
			{Input: write("a", ""), Call: 1, Output: versionResult{}, Return: 2},
			{Input: write("b", ""), Call: 3, Output: versionResult{}, Return: 4},
			{Input: write("c", "a"), Call: 5, Output: versionResult{}, Return: 6},
		},
		"gone": {
			{Input: write("a", ""), Call: 1, Output: versionResult{}, Return: 2},
			{Input: write("b", ""), Call: 3, Output: versionResult{unknown: true}, Return: math.MaxInt64},
			{Input: versionStep{}, Call: 4, Output: versionResult{title: "b"}, Return: 5},
			{Input: versionStep{}, Call: 6, Output: versionResult{title: "a"}, Return: 7},
		},
	} {
		if porcupine.CheckOperations(oneRecord, history) {
			t.Errorf("%s: not found", name)
		}
	}
}

// start starts a server of the set.
func (v *versioned) start(t *testing.T, d *deployment, i int, key string) {
	t.Helper()
	s := start(t, d.flags...)
	s.Key = key
	v.servers[i].Store(s)
}

// readOrChange reads a person's record from one server, and usually changes it on another: either whatever it has
// become, or only if it is still the same.
func (v *versioned) readOrChange(t *testing.T, random *rand.Rand, title string) {
	t.Helper()
	person := fmt.Sprintf("v%d", random.IntN(versionPeople))
	seen := v.do(t, random.IntN(len(v.servers)), versionStep{person: person})
	if seen.unknown || random.IntN(4) == 0 {
		return
	}

	change := versionStep{person: person, title: title}
	if random.IntN(3) > 0 {
		change.ifMatch, change.expected = seen.version, seen.title
	}
	v.do(t, random.IntN(len(v.servers)), change)
}

// do sends a request to a server and adds it to the history. A read without an answer tells nothing, so it isn't added.
func (v *versioned) do(t *testing.T, i int, step versionStep) versionResult {
	t.Helper()
	began := v.clock.Add(1)
	result, err := v.servers[i].Load().version(step)
	if err != nil {
		t.Errorf("%+v: %v", step, err)
	}
	ended := v.clock.Add(1)

	if result.unknown {
		if step.title == "" {
			return result
		}
		ended = math.MaxInt64 // it may take effect at any time from now on
	}

	v.mu.Lock()
	defer v.mu.Unlock()
	v.history[step.person] = append(v.history[step.person],
		porcupine.Operation{Input: step, Call: began, Output: result, Return: ended})
	return result
}

// version sends the request of a step. It returns an error for a response that neither a conflict nor a killed server
// explains.
func (s *server) version(step versionStep) (versionResult, error) {
	method, body := http.MethodGet, ""
	if step.title != "" {
		method, body = http.MethodPut, fmt.Sprintf(`{"name":"V","skills":["Go"],"job_title":%q}`, step.title)
	}

	request, err := http.NewRequest(method, s.URL+"/api/v1/freelancers/"+step.person, strings.NewReader(body))
	if err != nil {
		return versionResult{}, err
	}

	request.Header.Set("X-API-Key", s.Key)
	request.Header.Set("Content-Type", "application/json")
	if step.ifMatch != "" {
		request.Header.Set("If-Match", step.ifMatch)
	}

	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return versionResult{unknown: true}, nil // the server was killed
	}
	defer response.Body.Close()

	var got struct {
		Data struct {
			Freelancer struct {
				JobTitle string `json:"job_title"`
			}
		}
	}
	err = json.NewDecoder(response.Body).Decode(&got)

	switch status := response.StatusCode; {
	case status == http.StatusPreconditionFailed:
		return versionResult{mismatch: true}, nil
	case status == http.StatusConflict, status == http.StatusServiceUnavailable:
		return versionResult{unknown: true}, nil
	case status != http.StatusOK && status != http.StatusCreated:
		return versionResult{unknown: true}, fmt.Errorf("status %d", status)
	case err != nil: // killed while it was sending the response
		return versionResult{unknown: true}, nil
	case method == http.MethodGet && got.Data.Freelancer.JobTitle == "":
		return versionResult{unknown: true}, errors.New("no job title in the response")
	}
	return versionResult{title: got.Data.Freelancer.JobTitle, version: response.Header.Get("ETag")}, nil
}

// kindOf names the kind of a request by its result.
func kindOf(o porcupine.Operation) string {
	switch step, result := o.Input.(versionStep), o.Output.(versionResult); {
	case step.title == "":
		return "read"
	case result.unknown:
		return "unknown"
	case result.mismatch:
		return "mismatch"
	default:
		return "change"
	}
}

// listed lists a history, one request a line.
func listed(history []porcupine.Operation) string {
	var b strings.Builder
	for _, o := range history {
		fmt.Fprintf(&b, "%d–%d %s %+v %+v\n", o.Call, o.Return, kindOf(o), o.Input, o.Output)
	}
	return b.String()
}
