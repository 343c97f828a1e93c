//go:build integration

package attacks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

// A slowRequest is a request on a connection of its own, whose body the client withholds.
type slowRequest struct {
	connection *net.TCPConn
	response   *bufio.Reader
}

// A reply is a response of the API.
type reply struct {
	status    int
	code      string
	message   string
	remaining string // X-RateLimit-Remaining
}

// begin sends the head of a POST request. With expect, the server announces by status 100 that it reads the body.
func begin(t *testing.T, s *programs.Server, key, path, contentType string, length int, expect bool) *slowRequest {
	t.Helper()
	address := strings.TrimPrefix(s.URL, "http://")
	dialed, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dialed.Close() })
	_ = dialed.SetDeadline(time.Now().Add(programs.Patience))
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n",
		path, address, key, contentType, length)
	if expect {
		head += "Expect: 100-continue\r\n"
	}
	r := &slowRequest{dialed.(*net.TCPConn), bufio.NewReader(dialed)}
	r.send(t, head+"\r\n")
	return r
}

func (r *slowRequest) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(r.connection, text); err != nil {
		t.Fatal(err)
	}
}

// reply reads the next response. Responses without a body have the status only.
func (r *slowRequest) reply(t *testing.T) reply {
	t.Helper()
	response, err := http.ReadResponse(r.response, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	got := reply{status: response.StatusCode, remaining: response.Header.Get("X-RateLimit-Remaining")}
	if got.status == http.StatusContinue || got.status == http.StatusOK {
		return got
	}

	var failure struct {
		Status    string
		Error     struct{ Code, Message string }
		RequestID string `json:"request_id"`
	}
	if err := json.NewDecoder(response.Body).Decode(&failure); err != nil {
		t.Fatalf("status %d: %v", got.status, err)
	}

	if failure.Status != "error" || failure.RequestID == "" || failure.Error.Message == "" {
		t.Errorf("not the usual error shape: %+v", failure)
	}

	got.code = failure.Error.Code
	got.message = failure.Error.Message

	return got
}

// withhold begins n requests of a key and waits until the server has either begun to read their bodies or rejected
// them. It returns those whose body it reads, and the error codes of the others.
func withhold(t *testing.T, s *programs.Server, n int, key, path, contentType string) (read []*slowRequest,
	rejected map[string]int,
) {
	t.Helper()
	rejected = map[string]int{}
	all := make([]*slowRequest, n)
	for i := range all {
		all[i] = begin(t, s, key, path, contentType, 10_000, true)
	}
	for _, r := range all {
		if got := r.reply(t); got.status == http.StatusContinue {
			read = append(read, r)
		} else {
			rejected[got.code]++
		}
	}
	return read, rejected
}

// wantCutOff waits until the server gives up waiting for the bodies.
func wantCutOff(t *testing.T, requests []*slowRequest) {
	t.Helper()
	for _, r := range requests {
		got := r.reply(t)
		if got.status != http.StatusRequestTimeout || got.code != "incomplete_body" ||
			!strings.Contains(got.message, "too slowly") {
			t.Errorf("a slow body got %+v, want 408 incomplete_body", got)
		}
		if got.remaining == "" {
			t.Errorf("a slow body got %+v without limit headers", got)
		}
	}
}

// Sixteen slowly sent bodies of one key once took all slots of /match for 28 seconds, and 256 those of /interview.
func TestSlowBodies_DontBlockOthers(t *testing.T) {
	for path, body := range map[string]string{
		"/api/v1/match":        programs.Brief,
		"/api/v1/interview":    `{"freelancer_id":"nobody","project_description":"a shop","required_skills":["Go"]}`,
		"/api/v1/verify-skill": `{"keyword":"golang"}`,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel() // the server waits for the bodies
			data := t.TempDir()
			attacker := programs.NewKey(t, data, "-plan", "professional")
			victim := programs.NewKey(t, data, "-plan", "professional")
			s := programs.Start(t, "-data", data)
			for _, n := range []int{16, 256} {
				read, rejected := withhold(t, s, n, attacker, path, "application/json")
				status, response := as(s, victim).Call(t, http.MethodPost, path, body)
				if status != http.StatusOK && status != http.StatusNotFound { // the freelancer of the interview
					t.Errorf("%d slow bodies: another account got %d %v", n, status, response["error"])
				}

				if n == 16 && len(read) != n || len(read)+rejected["too_many_concurrent_requests"] != n {
					t.Errorf("%d slow bodies: %d are read, rejected %v", n, len(read), rejected)
				}

				wantCutOff(t, read)
			}
		})
	}
}

func resumeForm(t *testing.T) (contentType, body string) {
	t.Helper()
	file, err := os.ReadFile("../../resume/docx/testdata/resume.docx")
	if err != nil {
		t.Fatal(err)
	}
	const boundary = "8b1f"
	return "multipart/form-data; boundary=" + boundary, "--" + boundary +
		"\r\nContent-Disposition: form-data; name=\"file\"; filename=\"resume.docx\"\r\n\r\n" + string(file) +
		"\r\n--" + boundary + "--\r\n"
}

// wantParsed uploads a resume, which must be parsed.
func wantParsed(t *testing.T, s *programs.Server, key string) {
	t.Helper()
	contentType, body := resumeForm(t)
	r := begin(t, s, key, "/api/v1/parse", contentType, len(body), false)
	r.send(t, body)
	if got := r.reply(t); got.status != http.StatusOK {
		t.Errorf("another account's resume got %+v", got)
	}
}

// useUp uses up all requests of the 30 days of the only key in a data folder.
func useUp(t *testing.T, data string) {
	t.Helper()
	c := config.Default()
	c.Data = data
	db, err := setup.CreateDatabase(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	keys, err := apikey.NewService(db.Keys, time.Now).List(t.Context())
	if err != nil || len(keys) != 1 {
		t.Fatalf("%d keys: %v", len(keys), err)
	}

	plan, _ := apikey.PlanNamed(keys[0].Plan)
	q := quota.New(quota.Config{Store: db.Quotas, Now: time.Now})
	for range plan.Per30Days {
		a := quota.Allowance{
			Subject: keys[0].Counter, Since: keys[0].PlanSince, PerMinute: plan.Per30Days, PerMonth: plan.Per30Days,
		}
		if d, err := q.Take(t.Context(), a); err != nil || !d.Allowed {
			t.Fatal(d, err)
		}
	}
}

// Eight stalled uploads of a key without requests left once blocked /parse for 29 seconds, at no cost.
func TestStalledUploads_DontBlockOthers(t *testing.T) {
	data := t.TempDir()
	exhausted := programs.NewKey(t, data, "-plan", "freelancer")
	useUp(t, data)
	attacker := programs.NewKey(t, data, "-plan", "professional")
	victim := programs.NewKey(t, data, "-plan", "professional")
	s := programs.Start(t, "-data", data)

	contentType, _ := resumeForm(t)
	read, rejected := withhold(t, s, 8, exhausted, "/api/v1/parse", contentType)
	if len(read) != 0 || rejected["quota_exceeded"] != 8 {
		t.Errorf("without requests left, %d uploads are received, rejected %v", len(read), rejected)
	}

	read, rejected = withhold(t, s, 8, attacker, "/api/v1/parse", contentType)
	if len(read) != 2 || rejected["too_many_concurrent_requests"] != 6 {
		t.Errorf("%d stalled uploads are received, want 2; rejected %v", len(read), rejected)
	}

	wantParsed(t, s, victim)
	wantCutOff(t, read)
	// 1,000 a minute, less the two that were cut off and this one, unless a minute began meanwhile.
	body := `{"keyword":"golang"}`
	r := begin(t, s, attacker, "/api/v1/verify-skill", "application/json", len(body), false)
	r.send(t, body)

	if got := r.reply(t); got.remaining != "997" && got.remaining != "998" && got.remaining != "999" {
		t.Errorf("%+v after two stalled uploads", got)
	}
}

// Complete requests of one key, as many as it likes, don't keep others from being served.
func TestBurst_DoesntBlockOthers(t *testing.T) {
	data := t.TempDir()
	load(t, data, 2000)
	attacker := programs.NewKey(t, data, "-plan", "enterprise")
	victim := programs.NewKey(t, data, "-plan", "professional")
	s := programs.Start(t, "-data", data)
	stop := make(chan struct{})
	var attackers sync.WaitGroup
	started := make(chan struct{}, 1000)
	for range 1000 {
		attackers.Go(func() {
			for first := true; ; first = false {
				select {
				case <-stop:
					return
				default:
				}

				_, _, err := as(s, attacker).Try(http.MethodPost, "/api/v1/match", programs.Brief)
				if first {
					started <- struct{}{}
				}

				if err != nil {
					return // the system is out of ports
				}
			}
		})
	}

	for range cap(started) {
		<-started // until every client has had a response
	}

	for range 5 {
		if status, response := as(s, victim).Call(t, http.MethodPost, "/api/v1/match", programs.Brief); status != 200 {
			t.Errorf("another account got %d %v", status, response["error"])
		}
	}

	close(stop)
	attackers.Wait()
}

// A body that ends early once got 499 with an empty body. A complete request gets its response although the client has
// closed its side of the connection.
func TestHalfClosedConnections(t *testing.T) {
	s := programs.Start(t, "-demo")
	contentType, upload := resumeForm(t)
	_, matches := s.Call(t, http.MethodPost, "/api/v1/match", programs.Brief)
	id := matches["matches"].([]any)[0].(map[string]any)["freelancer"].(map[string]any)["id"]
	interview := fmt.Sprintf(`{"freelancer_id":%q,"project_description":"a shop","required_skills":["React"]}`, id)
	for _, tt := range []struct{ path, contentType, body string }{
		{"/api/v1/match", "application/json", programs.Brief},
		{"/api/v1/verify-skill", "application/json", `{"keyword":"golang"}`},
		{"/api/v1/interview", "application/json", interview},
		{"/api/v1/parse", contentType, upload},
	} {
		for missing, want := range map[int]int{0: http.StatusOK, 10: http.StatusRequestTimeout} {
			r := begin(t, s, s.Key, tt.path, tt.contentType, len(tt.body), false)
			r.send(t, tt.body[:len(tt.body)-missing])
			if err := r.connection.CloseWrite(); err != nil {
				t.Fatal(err)
			}

			if got := r.reply(t); got.status != want || want == http.StatusRequestTimeout && got.code != "incomplete_body" {
				t.Errorf("%s without the last %d bytes: %+v, want %d", tt.path, missing, got, want)
			}
		}
	}
}

// A stranger's connections don't add up: those over the limit are closed at once.
func TestConnections_AreLimited(t *testing.T) {
	s := programs.Start(t, "-demo")
	var open, closed int
	for range 4200 {
		dialed, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Skip("this system does not allow as many connections:", err)
		}
		defer dialed.Close()

		_ = dialed.SetDeadline(time.Now().Add(programs.Patience))
		request := []byte("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
		answer := make([]byte, 256)

		if _, err := dialed.Write(request); err != nil {
			closed++
		} else if n, err := dialed.Read(answer); err != nil {
			closed++
		} else if bytes.HasPrefix(answer[:n], []byte("HTTP/1.1 200")) {
			open++
		}
	}

	if open != 4096 || closed != 104 {
		t.Errorf("%d connections are open and %d closed, want 4096 and 104", open, closed)
	}
}
