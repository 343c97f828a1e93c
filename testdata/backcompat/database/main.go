// Command database fills a database of one release through that release's server, and writes down what it contains.
// ../README.md says when and how to run it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
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
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/skills"
)

const (
	password = "seven grey herons"
	email    = "ada@example.com"
	brief    = `{"description":"Online shop for a ceramics studio","required_skills":["React"],` +
		`"budget_range":[3000,9000],"complexity":"medium","timeline":45,"limit":3}`
)

// Contents is what a database contains.
type Contents struct {
	At        time.Time // when it was written
	Email     string
	Password  string
	Token     string // of an API key
	Accounts  []account.Account
	Users     []account.User
	Keys      []apikey.Key
	Links     []account.Link
	Events    []audit.Event
	Usage     []usage.Count
	Failures  []usage.Failure
	Quota     quota.Windows
	Interview interview.Record
	Verdicts  []skills.KeptVerdict
}

func main() {
	database := flag.String("database-url", "", "URL of an empty PostgreSQL database; without it, SQLite")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./testdata/backcompat/database [-database-url URL] DATA CONTENTS")
		os.Exit(2)
	}
	if err := build(*database, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "database:", err)
		os.Exit(1)
	}
}

// build starts a server on a data folder, which must have an index, works with it, and writes the contents of its
// database into a file.
func build(database, data, contents string) error {
	c := Contents{Email: email, Password: password}
	id, err := work(database, data, &c)
	if err != nil {
		return err
	}

	ctx := context.Background()
	settings := config.Default()
	settings.Data, settings.Database.URL = data, database
	db, err := setup.CreateDatabase(ctx, settings)
	if err != nil {
		return err
	}
	defer db.Close()

	// PostgreSQL stores microseconds, so a finer time would not be read back as it was written.
	now := time.Now().UTC().Truncate(time.Microsecond)
	verdict := skills.Verdict{
		Word: "Zeplin", Kind: "skill", Name: "Zeplin", Category: "design", Near: []string{"figma"}, Confidence: 0.75,
		By: "a model",
	}

	c.At = now
	if err := errors.Join(
		db.Verdicts.KeepVerdict(ctx, "zeplin", verdict, now, now.Add(30*24*time.Hour)),
		db.Verdicts.TakeWord(ctx, "acc_1", now.Format(time.DateOnly), 10),
	); err != nil {
		return err
	}

	var errs [8]error
	c.Accounts, errs[0] = db.Accounts.List(ctx, "", 100)
	c.Keys, errs[1] = db.Keys.List(ctx)
	c.Links, errs[2] = db.Links.List(ctx, "", now)
	c.Events, errs[3] = db.AuditLog.Events(ctx, audit.Query{Limit: 100})
	c.Verdicts, errs[4] = db.Verdicts.List(ctx, now)
	c.Interview, errs[5] = db.Interviews.Find(ctx, id, now)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}

	for _, a := range c.Accounts {
		users, err := db.Users.List(ctx, a.ID)
		if err != nil {
			return err
		}

		counts, err := db.Usage.Usage(ctx, a.ID, time.Unix(0, 0))
		if err != nil {
			return err
		}

		failures, err := db.Usage.Failures(ctx, a.ID, 100)
		if err != nil {
			return err
		}

		c.Users, c.Usage, c.Failures = append(c.Users, users...), append(c.Usage, counts...), append(c.Failures, failures...)
	}

	// Only the key with the known token is counted; the revoked one can't be used.
	for _, k := range c.Keys {
		if strings.HasSuffix(c.Token, k.Last4) {
			w := quota.Windows{
				Minute: quota.Window{Start: now.Truncate(quota.Minute), Limit: 100},
				Month:  quota.Window{Start: k.PlanSince.Truncate(time.Millisecond), Limit: 5000},
			}
			if c.Quota, _, err = db.Quotas.Take(ctx, k.Counter, w); err != nil {
				return err
			}
		}
	}

	file, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err
	}

	return os.WriteFile(contents, append(file, '\n'), 0o600)
}

// work starts a server and uses it: a first administrator, keys, a match, a failed request, an invitation, and an
// interview with an Idempotency-Key, whose session it returns.
func work(database, data string, c *Contents) (session string, err error) {
	bin, err := os.MkdirTemp("", "backcompat-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(bin)

	if out, err := exec.Command("go", "build", "-o", bin, "./server").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}

	args := []string{"-addr", "127.0.0.1:0", "-data", data}
	if database != "" {
		args = append(args, "-database-url", database)
	}

	server := exec.Command(filepath.Join(bin, "server"), args...)
	server.Stderr = os.Stderr
	stdout, err := server.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, server.Process.Signal(os.Interrupt), server.Wait()) }()

	var address, secret string

	// Port 0 picks a free port, so the address is known only from the server's output.
	for lines := bufio.NewScanner(stdout); address == "" && lines.Scan(); {
		if found := regexp.MustCompile(`/dashboard/setup#([\w-]{43})`).FindStringSubmatch(lines.Text()); found != nil {
			secret = found[1]
		}
		if ready, found := strings.CutPrefix(lines.Text(), "Ready on "); found {
			address = ready
		}
	}

	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}

	client := &client{http: &http.Client{Jar: jar}, base: address}
	client.post("/dashboard/setup", "secret", secret)
	client.post("/dashboard/setup", "secret", secret, "account_name", "Ärztehaus Online", "email", email,
		"password", password)

	// One key stays active and one is revoked, so that both states are in the old database.
	for _, name := range []string{"Website", "Former website"} {
		nonce := client.find("/dashboard/keys/new", `name="id" value="(key_[0-9A-Za-z]+)"`)
		page := client.post("/dashboard/keys/new", "id", nonce, "name", name)
		token := regexp.MustCompile(`svc_(fr|pr|ent)_[0-9A-Za-z]{36}`).FindString(page)
		if name == "Website" {
			c.Token = token
		} else {
			client.post("/dashboard/keys/"+nonce+"/revoke", "confirm", token[len(token)-4:])
		}
	}

	client.post("/dashboard/members", "email", "grace@example.com", "role", "member")
	client.call(c.Token, "/api/v1/match", brief)
	// An empty brief is rejected, which leaves a failed request.
	client.call(c.Token, "/api/v1/match", `{}`)
	answer := client.call(c.Token, "/api/v1/interview", `{"freelancer_id":"f1","mode":"custom_full",`+
		`"required_skills":["AutoCAD"],`+
		`"custom_questions":[{"text":"How do you check a drawing?","expected_answer":"Measures twice."}],`+
		`"provided_answers":["I measure twice, compare it with the survey, and let a colleague read it."]}`)

	found := regexp.MustCompile(`"session_id":"(\w+)"`).FindStringSubmatch(answer)
	if client.err != nil || found == nil {
		return "", errors.Join(client.err, fmt.Errorf("no session in %s", answer))
	}

	return found[1], nil
}

// A client sends requests until one fails.
type client struct {
	http *http.Client
	base string
	err  error
}

func (c *client) send(r *http.Request) string {
	if c.err != nil {
		return ""
	}
	response, err := c.http.Do(r)
	if err != nil {
		c.err = err
		return ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if c.err = err; err == nil && response.StatusCode >= 400 && r.Body != nil && response.StatusCode != 422 {
		c.err = fmt.Errorf("%s: %s: %s", r.URL, response.Status, body)
	}
	return string(body)
}

func (c *client) post(path string, fields ...string) string {
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	r, err := http.NewRequest(http.MethodPost, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		c.err = err
		return ""
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return c.send(r)
}

func (c *client) find(path, pattern string) string {
	r, err := http.NewRequest(http.MethodGet, c.base+path, http.NoBody)
	if err != nil {
		c.err = err
		return ""
	}
	found := regexp.MustCompile(pattern).FindStringSubmatch(c.send(r))
	if found == nil {
		c.err = errors.Join(c.err, fmt.Errorf("no %s at %s", pattern, path))
		return ""
	}
	return found[1]
}

func (c *client) call(token, path, body string) string {
	r, err := http.NewRequest(http.MethodPost, c.base+path, strings.NewReader(body))
	if err != nil {
		c.err = err
		return ""
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", token)
	r.Header.Set("Idempotency-Key", "backcompat "+path)
	return c.send(r)
}
