package integration

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/cryptotest"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
)

// The examples of openapi.yaml, README.md and docs/ranking.md are real responses of the demo. -update rewrites them.
func TestExamples_AreRealAnswers(t *testing.T) {
	const (
		specificationFile = "../server/openapi/openapi.yaml"
		readmeFile        = "../README.md"
		rankingFile       = "../docs/ranking.md"
	)

	specification := readFile(t, specificationFile)
	readme := readFile(t, readmeFile)
	ranking := readFile(t, rankingFile)
	requests := requestExamples(t, specification)
	demo := newDemo(t)

	answers := map[string]string{
		"health":   demo.answer(t, http.MethodGet, "/api/v1/health", ""),
		"testdata": demo.answer(t, http.MethodGet, "/api/v1/generate-test-data?num_freelancers=1&seed=1", ""),
	}

	answers["resume"] = demo.send(t, http.MethodPost, "/api/v1/parse", "multipart/form-data; boundary=b",
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"resume.docx\"\r\n\r\n"+
			exampleResume(t)+"\r\n--b--\r\n")
	answers["document"] = demo.send(t, http.MethodPost, "/api/v1/match/document", "multipart/form-data; boundary=b",
		"--b\r\nContent-Disposition: form-data; name=\"request\"\r\n\r\n{\"budget_range\":[2000,6000],\"limit\":1}\r\n"+
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"brief.docx\"\r\n\r\n"+
			wordDocument(t, "Booking site for a climbing gym",
				"Members book courses and pay by card. We prefer Vue.js and Laravel.")+
			"\r\n--b--\r\n")
	for path, requests := range requests {
		for name, request := range requests {
			answers[name] = demo.answer(t, http.MethodPost, path, request)
		}
	}

	wantSpecification := specification
	for name, answer := range answers {
		wantSpecification = replaceExample(t, wantSpecification, name+"_answer", answer)
	}

	usual := answers["usual"]
	wantReadme := replaceBetween(t, readme, "<!-- example -->\n", "<!-- /example -->", readmeExample(t, requests, usual))
	wantRanking := replaceBetween(t, ranking, "<!-- example -->\n", "<!-- /example -->", scoreTable(t, usual))

	if *update {
		writeFile(t, specificationFile, wantSpecification)
		writeFile(t, readmeFile, wantReadme)
		writeFile(t, rankingFile, wantRanking)
		return
	}

	for name, current := range map[string]bool{
		specificationFile: wantSpecification == specification,
		readmeFile:        wantReadme == readme,
		rankingFile:       wantRanking == ranking,
	} {
		if !current {
			t.Errorf("the examples in %s differ from what the demo answers; run make golden and review", filepath.Base(name))
		}
	}
}

// exampleMatch holds the members of a match that README.md and docs/ranking.md show.
type exampleMatch struct {
	Freelancer struct {
		ID         string  `json:"id"`
		Name       string  `json:"name"`
		JobTitle   string  `json:"job_title"`
		HourlyRate float64 `json:"hourly_rate"`
	} `json:"freelancer"`
	Score         float64        `json:"score"`
	Level         string         `json:"level"`
	MatchedSkills []string       `json:"matched_skills"`
	MissingSkills []string       `json:"missing_skills"`
	Estimate      map[string]any `json:"estimate"`
	Explanation   []struct {
		Feature      string   `json:"feature"`
		Contribution float64  `json:"contribution"`
		Weight       *float64 `json:"weight,omitempty"`
		Value        *float64 `json:"value,omitempty"`
		Summary      string   `json:"summary"`
	} `json:"explanation"`
}

func firstMatch(t *testing.T, answer string) exampleMatch {
	t.Helper()
	var response struct {
		Matches []exampleMatch `json:"matches"`
	}
	if err := json.Unmarshal([]byte(answer), &response); err != nil {
		t.Fatal(err)
	}
	return response.Matches[0]
}

// readmeExample returns the request and its first match, without the members that the README doesn't discuss.
func readmeExample(t *testing.T, requests map[string]map[string]string, answer string) string {
	t.Helper()
	match := firstMatch(t, answer)
	for i := range match.Explanation {
		match.Explanation[i].Weight = nil
		match.Explanation[i].Value = nil
	}
	shown, err := json.Marshal(map[string]any{"matches": []exampleMatch{match}})
	if err != nil {
		t.Fatal(err)
	}
	const command = "curl -s http://127.0.0.1:8080/api/v1/match -H \"X-API-Key: $KEY\" " +
		"-H 'Content-Type: application/json' -d '"
	return "```sh\n" + command + indent(t, requests["/api/v1/match"]["usual"]) + "'\n```\n\n" +
		"The response, without the members for paging and the rest of the record:\n\n" +
		"```json\n" + indent(t, string(shown)) + "\n```\n"
}

// scoreTable returns the features of the first match as a Markdown table whose contributions add up to the score.
func scoreTable(t *testing.T, answer string) string {
	t.Helper()
	match := firstMatch(t, answer)
	var table strings.Builder
	table.WriteString("| feature | share of the score | value | contribution |\n|---|---|---|---|\n")
	for _, f := range match.Explanation {
		fmt.Fprintf(&table, "| %s | %.3f | %.3f | %.3f |\n", f.Feature, *f.Weight, *f.Value, f.Contribution)
	}
	fmt.Fprintf(&table, "| | 1 | | **%.3f**, `%s` |\n", match.Score, match.Level)
	return table.String()
}

// demo is the service over the freelancers of `server -demo`.
type demo struct {
	handler http.Handler
	key     string
}

func newDemo(t *testing.T) demo {
	t.Helper()
	s, token := newService(t, deploy(t, embeddedEngine()))
	if err := s.FillDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	return demo{s.Handler(), token}
}

// volatile lists the parts of a response that differ from run to run, and the values that the examples show instead.
var volatile = []struct {
	pattern *regexp.Regexp
	sample  string
}{
	{regexp.MustCompile(`"request_id":"[^".]*([.0-9]*)"`), `"request_id":"7b2c6mofkkwzqgqa4sk3b2ymje$1"`},
	{regexp.MustCompile(`"took_ms":[0-9.]+`), `"took_ms":1.2`},
	{regexp.MustCompile(`freelancers-v1-[0-9tz]+`), `freelancers-v1-20260102t030405z`},
	{regexp.MustCompile(`"indexed_at":"[^"]*"`), `"indexed_at":"2026-01-02T03:04:05Z"`},
	{regexp.MustCompile(`"(created_at|evaluated_at)":"[^"]*"`), `"$1":"2026-01-02T03:04:05Z"`},
	{regexp.MustCompile(`"resume-[0-9a-f]{20}"`), `"resume-38b5cf45f02f1c87afbf"`},
	{regexp.MustCompile(`"expires_at":"[^"]*"`), `"expires_at":"2026-02-01T03:04:05Z"`},
}

func (d demo) answer(t *testing.T, method, path, body string) string {
	t.Helper()
	return d.send(t, method, path, "application/json", body)
}

func (d demo) send(t *testing.T, method, path, contentType, body string) string {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	req.Host = "localhost"
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("X-API-Key", d.key)
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, body)
	cryptotest.SetGlobalRandom(t, hash.Sum64()) // the session's id selects the questions
	rec := httptest.NewRecorder()
	d.handler.ServeHTTP(rec, req)
	if rec.Code != http.StatusOK {
		t.Fatalf("%s %s %s: %d %s", method, path, body, rec.Code, rec.Body)
	}
	answer := strings.TrimSpace(rec.Body.String())
	for _, v := range volatile {
		answer = v.pattern.ReplaceAllString(answer, v.sample)
	}
	return answer
}

// requestExamples returns the specification's example requests as JSON, by path and name.
func requestExamples(t *testing.T, specification string) map[string]map[string]string {
	t.Helper()
	var doc struct {
		Paths map[string]struct {
			Post struct {
				RequestBody struct {
					Content map[string]struct {
						Examples map[string]struct {
							Value yaml.MapSlice `yaml:"value"`
						} `yaml:"examples"`
					} `yaml:"content"`
				} `yaml:"requestBody"`
			} `yaml:"post"`
		} `yaml:"paths"`
	}
	if err := yaml.Unmarshal([]byte(specification), &doc); err != nil {
		t.Fatal(err)
	}

	requests := map[string]map[string]string{}
	for path, operation := range doc.Paths {
		needsID := strings.Contains(path, "{") // of something that an earlier request has created
		answersSecret := path == "/api/v1/browser-tokens" || path == "/api/v1/webhooks"
		if needsID || answersSecret {
			continue // the answer is another each time
		}
		requests[path] = map[string]string{}
		for name, example := range operation.Post.RequestBody.Content["application/json"].Examples {
			body, err := yaml.MarshalWithOptions(example.Value, yaml.JSON())
			if err != nil {
				t.Fatal(err)
			}
			requests[path][name] = strings.TrimSpace(string(body))
		}
	}

	if len(requests["/api/v1/match"]) == 0 || len(requests["/api/v1/verify-skill"]) == 0 {
		t.Fatal("openapi.yaml has no example requests")
	}

	return requests
}

// replaceExample replaces the value of an example in the specification with an answer.
func replaceExample(t *testing.T, specification, name, answer string) string {
	t.Helper()
	i := strings.Index(specification, " "+name+":\n")
	if i < 0 {
		t.Fatalf("openapi.yaml has no example %s", name)
	}

	start := i + strings.Index(specification[i:], "value:\n") + len("value:\n")
	line := specification[strings.LastIndexByte(specification[:start-1], '\n')+1 : start]
	margin := len(line) - len(strings.TrimLeft(line, " ")) + 2 // indentation of the value
	end := start
	for end < len(specification) && strings.HasPrefix(specification[end:], strings.Repeat(" ", margin)) {
		end += strings.IndexByte(specification[end:], '\n') + 1
	}

	block, err := yaml.JSONToYAML([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}

	var indented strings.Builder
	for l := range strings.Lines(string(block)) {
		indented.WriteString(foldLine(strings.Repeat(" ", margin) + l))
	}

	return specification[:start] + indented.String() + specification[end:]
}

// foldLine returns a line of YAML in at most 120 columns: the text of a longer one becomes a folded block.
func foldLine(line string) string {
	const width = 120
	parts := regexp.MustCompile(`^( *(?:- )*)([a-z_]+: )?(.*)\n$`).FindStringSubmatch(line)
	if utf8.RuneCountInString(line) <= width+1 || parts == nil {
		return line
	}

	var text string
	if err := yaml.Unmarshal([]byte(parts[3]), &text); err != nil {
		return line
	}

	margin := "\n" + strings.Repeat(" ", len(parts[1]))
	if parts[2] != "" {
		margin += "  "
	}

	folded := parts[1] + parts[2] + ">-"
	column := width
	for word := range strings.SplitSeq(text, " ") {
		if column += 1 + utf8.RuneCountInString(word); column > width {
			folded += margin + word
			column = len(margin) - 1 + utf8.RuneCountInString(word)
		} else {
			folded += " " + word
		}
	}

	return folded + "\n"
}

func replaceBetween(t *testing.T, text, from, to, content string) string {
	t.Helper()
	start := strings.Index(text, from)
	end := strings.Index(text, to)
	if start < 0 || end < start {
		t.Fatalf("no %q … %q", from, to)
	}
	return text[:start+len(from)] + content + text[end:]
}

// indent formats JSON with one member per line, except that short lists and objects stay on one line.
func indent(t *testing.T, data string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(data), "", "  "); err != nil {
		t.Fatal(err)
	}
	flat := regexp.MustCompile(`[\[{]\n[^\[\]{}]*?\n *[\]}]`)
	return flat.ReplaceAllStringFunc(b.String(), func(s string) string {
		joined := regexp.MustCompile(`\n *`).ReplaceAllString(s, " ")
		if len(joined) > 100 { // the line also has an indentation and a name
			return s
		}
		return fmt.Sprint(joined[:1], strings.TrimSpace(joined[1:len(joined)-1]), joined[len(joined)-1:])
	})
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// exampleResume returns a Word document. Its content lists no current job, so the result doesn't depend on the date.
func exampleResume(t *testing.T) string {
	t.Helper()
	return wordDocument(t,
		"Mira Talden", "Backend developer",
		"mira.talden@example.com | +49 30 901820 | Berlin, Germany | github.com/mira-talden-example",
		"Summary", "Builds shops and tills that stay up on the busiest day of the year.",
		"Experience", "Senior developer, Kiln &amp; Glaze, Berlin\tJan 2019 – Mar 2023",
		"Wrote the till in Go, on PostgreSQL and Kubernetes.",
		"Developer, Harbor Goods\t06/2016 – 12/2018", "Moved the shop from PHP to React.",
		"Education", "BSc Computer Science, Example University\t2013 – 2016",
		"Skills", "Go, PostgreSQL, Kubernetes, React, Docker",
		"Languages", "German (native), English (C1)",
	)
}

// wordDocument returns a Word document with one paragraph for each line, which is XML.
func wordDocument(t *testing.T, lines ...string) string {
	t.Helper()
	var paragraphs strings.Builder
	for _, line := range lines {
		text := strings.ReplaceAll(line, "\t", "</w:t><w:tab/><w:t>")
		paragraphs.WriteString("<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>")
	}

	const (
		word   = "application/vnd.openxmlformats-officedocument.wordprocessingml."
		office = "http://schemas.openxmlformats.org/"
	)

	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for name, content := range map[string]string{
		"[Content_Types].xml": `<Types xmlns="` + office + `package/2006/content-types">` +
			`<Override PartName="/word/document.xml" ContentType="` + word + `document.main+xml"/></Types>`,
		"_rels/.rels": `<Relationships xmlns="` + office + `package/2006/relationships">` +
			`<Relationship Id="r1" Type="` + office + `officeDocument/2006/relationships/officeDocument" ` +
			`Target="word/document.xml"/></Relationships>`,
		"word/document.xml": `<w:document xmlns:w="` + office + `wordprocessingml/2006/main"><w:body>` + paragraphs.String() +
			`</w:body></w:document>`,
	} {
		part, err := archive.Create(name)
		if err == nil {
			_, err = io.WriteString(part, content)
		}

		if err != nil {
			t.Fatal(err)
		}
	}

	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}

	return file.String()
}
