//go:build integration

package attacks

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/freelancer-matching/service/integration/programs"
)

// An operator runs a server on a data folder. They also own an account, with a key, and have keys of two plans.
type operator struct {
	t                  *testing.T
	data               string
	server             *programs.Server
	client             *http.Client // signed in as the owner of the account
	key                string       // id of the account's key
	limited, unlimited string       // API keys
}

const ownerEmail, ownerPassword = "owner@example.com", "seven grey herons in the mist"

// newOperator loads a few freelancers into a data folder, starts a server and signs up.
func newOperator(t *testing.T, data string) *operator {
	t.Helper()
	programs.Run(t, "indexer", "load", "-data", data, filepath.Join("..", "..", "testdata", "backcompat", "people.ndjson"))
	o := &operator{t: t, data: data}
	o.start()
	secret := regexp.MustCompile(`/dashboard/setup#([\w-]{43})`).FindStringSubmatch(o.server.Greeting)
	if secret == nil {
		t.Fatalf("no set-up link in:\n%s", o.server.Greeting)
	}

	o.register("/dashboard/setup", "root@example.com", secret[1]) // nobody can sign up before
	o.start()
	o.register("/dashboard/sign-up", ownerEmail, "")
	_, page := o.get("/dashboard/keys/new")
	id := regexp.MustCompile(`name="id" value="(key_[0-9A-Za-z]+)"`).FindStringSubmatch(page)
	if id == nil {
		t.Fatalf("the form of a new key has no id:\n%s", page)
	}

	o.key = id[1]
	if status, page := o.post("/dashboard/keys/new", url.Values{"id": {o.key}, "name": {"Website"}}); status >= 300 {
		t.Fatalf("creating a key: %d\n%s", status, page)
	}

	o.limited = programs.NewKey(t, data, "-plan", "freelancer")
	o.unlimited = programs.NewKey(t, data, "-plan", "enterprise")

	return o
}

// register becomes a user, and signs in.
func (o *operator) register(path, email, secret string) {
	o.t.Helper()
	form := url.Values{"account_name": {"Operations"}, "email": {email}, "password": {ownerPassword}}
	if secret != "" {
		o.post(path, url.Values{"secret": {secret}})
		form.Set("secret", secret)
	}
	if status, page := o.post(path, form); status != http.StatusOK {
		o.t.Fatalf("%s: %d\n%s", path, status, page)
	}
}

// start starts a server on the data folder, in place of the one before, without a session.
func (o *operator) start() {
	o.t.Helper()
	if o.server != nil && o.server.Cmd.ProcessState == nil {
		if err := o.server.Stop(o.t); err != nil {
			o.t.Fatal(err)
		}
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		o.t.Fatal(err)
	}
	o.server = programs.Start(o.t, "-data", o.data, "-sign-up", "open")
	o.client = &http.Client{Jar: jar}
}

func (o *operator) post(path string, form url.Values) (status int, page string) {
	o.t.Helper()
	return o.read(o.client.PostForm(o.server.URL+path, form))
}

func (o *operator) get(path string) (status int, body string) {
	o.t.Helper()
	return o.read(o.client.Get(o.server.URL + path))
}

func (o *operator) read(response *http.Response, err error) (status int, body string) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func (o *operator) signIn() (status int, page string) {
	o.t.Helper()
	return o.post("/dashboard/sign-in", url.Values{"email": {ownerEmail}, "password": {ownerPassword}})
}

// call sends a request with a key and returns its status and its error code.
func (o *operator) call(key, path, body string) (status int, code string) {
	o.t.Helper()
	s := *o.server
	s.Key = key
	status, response := s.Call(o.t, http.MethodPost, path, body)
	failure, _ := response["error"].(map[string]any)
	code, _ = failure["code"].(string)
	return status, code
}

const customInterview = `{"freelancer_id":"f1","mode":"custom_full","required_skills":["AutoCAD"],` +
	`"custom_questions":[{"text":"How do you check a drawing?","expected_answer":"Measures twice."}],` +
	`"provided_answers":["I measure twice."]}`

// writes returns everything that stores something, as functions that return the status, and the code or the page.
func (o *operator) writes() map[string]func(n int) (int, string) {
	return map[string]func(n int) (int, string){
		"signing up": func(n int) (int, string) {
			stranger := *o
			stranger.client = &http.Client{}
			return stranger.post("/dashboard/sign-up", url.Values{
				"account_name": {strings.Repeat("A", 60)}, "email": {fmt.Sprintf("u%d@example.com", n)},
				"password": {ownerPassword},
			})
		},
		"changing a key": func(n int) (int, string) {
			return o.post("/dashboard/keys/"+o.key+[]string{"/disable", "/enable"}[n%2], nil)
		},
		"an interview": func(int) (int, string) {
			return o.call(o.unlimited, "/api/v1/interview", customInterview)
		},
	}
}

// wantFault repeats everything that stores something until the fault appears, because there may be some room left. No
// request may fail otherwise.
func (o *operator) wantFault(code, title string) {
	o.t.Helper()
	n := 0
	for name, write := range o.writes() {
		programs.Eventually(o.t, name+" with "+code, func() bool {
			n++
			status, answer := write(n)
			if status == http.StatusInternalServerError || status == http.StatusServiceUnavailable &&
				answer != code && !strings.Contains(answer, title) {
				o.t.Fatalf("%s: %d, want 503 with %s:\n%s", name, status, code, answer)
			}
			return status == http.StatusServiceUnavailable
		})
	}
}

// wantHealth waits until /health and /readyz report the problem, or until they report none if it is empty.
func (o *operator) wantHealth(problem string) {
	o.t.Helper()
	want := http.StatusServiceUnavailable
	if problem == "" {
		want = http.StatusOK
	}
	s := *o.server
	s.Key = o.unlimited
	programs.Eventually(o.t, fmt.Sprintf("/readyz with %d (%s)", want, problem), func() bool {
		status, _ := o.get("/readyz")
		health, answer := s.Call(o.t, http.MethodGet, "/api/v1/health", "")
		return status == want && health == want && strings.Contains(fmt.Sprint(answer), problem)
	})
	if status, _ := o.get("/livez"); status != http.StatusOK {
		o.t.Errorf("/livez: %d, want 200: a restart would not help", status)
	}
}

func (o *operator) wantMatches() {
	o.t.Helper()
	if status, code := o.call(o.unlimited, "/api/v1/match", programs.Brief); status != http.StatusOK {
		o.t.Errorf("a match with an unlimited key: %d %s, want 200", status, code)
	}
}

// smallDisk mounts a file system of a few megabytes and returns its path. It skips the test if that is not permitted,
// but fails it on CI as root.
func smallDisk(t *testing.T, megabytes int) string {
	t.Helper()
	folder := t.TempDir()
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", megabytes), "tmpfs", folder).
		CombinedOutput()
	if err != nil {
		if os.Getenv("CI") != "" && os.Getuid() == 0 {
			t.Fatalf("mount a small disk: %v: %s", err, out)
		}
		t.Skipf("this test mounts a small disk, which needs root on Linux: %v: %s", err, out)
	}
	t.Cleanup(func() { // registered before the server's, so it runs after the server has ended
		if out, err := exec.Command("umount", folder).CombinedOutput(); err != nil {
			t.Errorf("umount %s: %v: %s", folder, err, out)
		}
	})
	return folder
}

// fill uses up the space of a disk and returns the file that does.
func fill(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "filler")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, size := range []int{1 << 20, 4096, 1} {
		block := bytes.Repeat([]byte{1}, size)
		for err = nil; err == nil; {
			_, err = file.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
	return path
}

// On a full disk, requests that store something get 503 storage_full, matching continues, and the health checks fail.
// When there is room again, the server recovers without a restart.
func TestFullDisk(t *testing.T) {
	disk := smallDisk(t, 12)
	o := newOperator(t, filepath.Join(disk, "data"))
	filler := fill(t, disk)
	o.wantFault("storage_full", "Disk full")
	o.wantHealth("The disk of the service's database is full.")
	o.wantMatches()
	status, page := o.signIn()
	if status != http.StatusOK && (status != http.StatusServiceUnavailable || !strings.Contains(page, "Disk full")) {
		t.Errorf("signing in: %d, want 200, or 503 with the cause:\n%s", status, page)
	}

	if status, page := o.get("/dashboard"); status != http.StatusOK || !strings.Contains(page, "disk of the service") {
		t.Errorf("the home page: %d, want 200 with the cause:\n%s", status, page)
	}

	if status, page := o.get("/dashboard/keys"); status != http.StatusOK {
		t.Errorf("the page of keys: %d\n%s", status, page)
	}

	for range 5 {
		status, code := o.call(o.limited, "/api/v1/match", programs.Brief)
		if status != http.StatusOK && (status != http.StatusServiceUnavailable || code != "quota_unavailable") {
			t.Errorf("a match with a limited key: %d %s, want 200 or quota_unavailable", status, code)
		}
	}

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}

	o.wantHealth("")

	if status, page := o.signIn(); status != http.StatusOK {
		t.Errorf("signing in after the disk has room again: %d\n%s", status, page)
	}

	if status, code := o.call(o.limited, "/api/v1/match", programs.Brief); status != http.StatusOK {
		t.Errorf("a match with a limited key after the disk has room again: %d %s", status, code)
	}

	if log := o.server.Log.String(); !strings.Contains(log, "database or disk is full") || strings.Contains(log, "panic") {
		t.Errorf("the log lacks the fault or has a panic:\n%s", log)
	}
}

// A server that starts on a full or read-only disk names the cause and the file.
func TestFullDisk_AtStart(t *testing.T) {
	disk := smallDisk(t, 12)
	data := filepath.Join(disk, "data")
	o := newOperator(t, data)
	if err := o.server.Stop(t); err != nil {
		t.Fatal(err)
	}

	filler := fill(t, disk)
	wantRefusal := func(causes ...string) {
		t.Helper()
		output := startRefused(t, "-data", data)
		for _, cause := range causes {
			if strings.Contains(output, cause) {
				return
			}
		}

		t.Errorf("the message has none of %q:\n%s", causes, output)
	}

	wantRefusal("disk of the service's database is full", "no space left on device")
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}

	if out, err := exec.Command("mount", "-o", "remount,ro", disk).CombinedOutput(); err != nil {
		t.Fatalf("remount: %v: %s", err, out)
	}

	wantRefusal("database is read-only", "read-only file system")

	if out, err := exec.Command("mount", "-o", "remount,rw", disk).CombinedOutput(); err != nil {
		t.Fatalf("remount: %v: %s", err, out)
	}

	o.start()
	o.wantMatches()
}

// startRefused starts a server that must fail, and returns what it writes.
func startRefused(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programs.Patience)
	defer cancel()
	output, err := programs.Command(ctx, "server", append([]string{"-addr", "127.0.0.1:0"}, args...)...).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
		t.Fatalf("server %q: %v, want exit code 1:\n%s", args, err, output)
	}
	return string(output)
}

// While another process holds the write lock, requests that store something get 503 database_locked.
func TestLockedDatabase(t *testing.T) {
	o := newOperator(t, t.TempDir())
	pool, err := sql.Open("sqlite", filepath.Join(o.data, "matching.db")+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()

	tx, err := pool.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}

	status, code := o.call(o.unlimited, "/api/v1/interview", customInterview)
	if status != http.StatusServiceUnavailable || code != "database_locked" {
		t.Errorf("an interview: %d %s, want 503 database_locked", status, code)
	}

	o.wantHealth("locked by another process")
	o.wantMatches()
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}

	o.wantHealth("")
}

// Overwritten pages are reported as damage, and a backup repairs it.
func TestDamagedDatabase(t *testing.T) {
	o := newOperator(t, t.TempDir())
	backup := filepath.Join(t.TempDir(), "backup.db")
	programs.Run(t, "server", "backup", "-data", o.data, backup)

	if err := o.server.Stop(t); err != nil {
		t.Fatal(err)
	}

	damage(t, filepath.Join(o.data, "matching.db"), "api_keys", "users", "interviews")
	o.start()
	programs.Eventually(t, "/readyz with 503", func() bool {
		status, page := o.get("/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(page, "database")
	})

	if status, code := o.call(o.unlimited, "/api/v1/match", programs.Brief); code != "database_corrupt" {
		t.Errorf("a match: %d %s, want 503 database_corrupt", status, code)
	}

	if status, page := o.signIn(); status != http.StatusServiceUnavailable || !strings.Contains(page, "Database damaged") {
		t.Errorf("signing in: %d, want 503 with the damage:\n%s", status, page)
	}

	restore := func() error {
		return programs.Command(t.Context(), "server", "restore", "-data", o.data, backup).Run()
	}
	if restore() == nil {
		t.Error("restored while the server runs")
	}

	if err := o.server.Stop(t); err != nil {
		t.Fatal(err)
	}

	if err := restore(); err != nil {
		t.Fatal(err)
	}

	o.start()
	o.wantHealth("")
	o.wantMatches()

	if status, page := o.signIn(); status != http.StatusOK {
		t.Errorf("signing in after the restore: %d\n%s", status, page)
	}
}

// damage overwrites the first page of each of some tables, and of their indexes.
func damage(t *testing.T, path string, tables ...string) {
	t.Helper()
	pool, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()

	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	var size int64
	if err := pool.QueryRowContext(t.Context(), "PRAGMA page_size").Scan(&size); err != nil {
		t.Fatal(err)
	}

	for _, table := range tables {
		rows, err := pool.QueryContext(t.Context(), "SELECT rootpage FROM sqlite_master WHERE tbl_name = ?", table)
		if err != nil {
			t.Fatal(err)
		}

		for rows.Next() {
			var page int64
			if err := rows.Scan(&page); err != nil {
				t.Fatal(err)
			}

			if _, err := file.WriteAt(bytes.Repeat([]byte{0xA5}, int(size)), (page-1)*size); err != nil {
				t.Fatal(err)
			}
		}

		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// A lost database is not silently replaced with an empty one. The index alone, which a newcomer's load creates before
// the first start, is not taken for a sign of a lost database.
func TestMissingDatabase(t *testing.T) {
	o := newOperator(t, t.TempDir()) // loads before the first start
	backup := filepath.Join(t.TempDir(), "backup.db")
	programs.Run(t, "server", "backup", "-data", o.data, backup)

	if err := o.server.Stop(t); err != nil {
		t.Fatal(err)
	}

	database := filepath.Join(o.data, "matching.db")
	if err := os.Remove(database); err != nil {
		t.Fatal(err)
	}

	output := startRefused(t, "-data", o.data)
	for _, command := range []string{"server restore FILE -data " + o.data, "server -new-database -data " + o.data} {
		if !strings.Contains(output, command) {
			t.Errorf("the message does not name %q:\n%s", command, output)
		}
	}

	if _, err := os.Stat(database); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the refused start left a database: %v", err)
	}

	programs.Run(t, "server", "restore", "-data", o.data, backup)
	o.start()
	o.wantMatches()

	if err := o.server.Stop(t); err != nil {
		t.Fatal(err)
	}

	if err := os.Remove(database); err != nil {
		t.Fatal(err)
	}

	fresh := programs.Start(t, "-data", o.data, "-new-database")
	if !strings.Contains(fresh.Greeting, "/dashboard/setup#") {
		t.Errorf("no set-up link after starting over:\n%s", fresh.Greeting)
	}

	if err := fresh.Stop(t); err != nil {
		t.Fatal(err)
	}

	if output := startRefused(t, "-data", o.data, "-new-database"); !strings.Contains(output, "matching.db exists") {
		t.Errorf("-new-database with a database:\n%s", output)
	}
}
