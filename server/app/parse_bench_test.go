package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/realdata"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/taxonomy"
)

// resumeFiles returns the generated resumes with a file name extension and, if available, the real ones, by origin.
func resumeFiles(b *testing.B, kind string) map[string][][]byte {
	b.Helper()
	folders := map[string]string{"generated": filepath.Join("..", "..", "tools", "resumes", "testdata")}

	if dir, ok := realdata.Find("resumes", "templates"); ok {
		folders["real"] = dir
	}
	files := map[string][][]byte{}
	for name, folder := range folders {
		paths, err := filepath.Glob(filepath.Join(folder, "*."+kind))
		if err != nil || len(paths) == 0 {
			b.Fatalf("no *.%s files in %s (%v)", kind, folder, err)
		}

		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			files[name] = append(files[name], content)
		}
	}

	return files
}

// BenchmarkParse measures parsing one resume at a time, including its fields.
func BenchmarkParse(b *testing.B) {
	skills, err := taxonomy.Load()
	if err != nil {
		b.Fatal(err)
	}

	parser, err := setup.OpenParser(b.Context(), setup.ParserConfig{
		Taxonomy: skills, Analyzer: analysis.New(), Parallel: 2, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	defer parser.Close()

	if err := parser.Ready(b.Context()); err != nil {
		b.Fatal(err)
	}

	for _, kind := range []string{"pdf", "docx"} {
		for name, files := range resumeFiles(b, kind) {
			b.Run(kind+"/"+name, func(b *testing.B) {
				var times []time.Duration
				for i := 0; b.Loop(); i++ {
					start := time.Now()
					_, err := parser.Parse(b.Context(), files[i%len(files)])
					if _, refused := errors.AsType[*matching.Error](err); err != nil && !refused {
						b.Fatal(err)
					}
					times = append(times, time.Since(start))
				}

				slices.Sort(times)
				b.ReportMetric(times[len(times)/2].Seconds()*1e3, "ms-p50")
				b.ReportMetric(times[len(times)*99/100].Seconds()*1e3, "ms-p99")
			})
		}
	}
}

// BenchmarkParse_HTTP measures /parse over loopback with four concurrent clients on the server's machine.
func BenchmarkParse_HTTP(b *testing.B) {
	c := config.Default()
	c.Data = b.TempDir()
	c.Encoder = config.EncoderOff
	s, err := app.Open(b.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}

	b.Cleanup(func() { _ = s.Close() })
	token, _, err := s.Keys.Create(b.Context(), audit.By{Actor: audit.CommandLine},
		apikey.Request{Name: "bench", Plan: "enterprise"})
	if err != nil {
		b.Fatal(err)
	}

	server := httptest.NewServer(s.Handler())
	b.Cleanup(server.Close)
	for name, files := range resumeFiles(b, "pdf") {
		b.Run(name, func(b *testing.B) {
			var next atomic.Int64
			b.SetParallelism(2) // four on two cores
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := upload(b, server.URL, token, files[int(next.Add(1))%len(files)]); err != nil {
						b.Error(err)
						return
					}
				}
			})

			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "files/s")
		})
	}
}

// upload sends a file to /parse. A rejected file (422) is not an error.
func upload(b *testing.B, url, token string, file []byte) error {
	b.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "resume.pdf")
	if err != nil {
		return err
	}

	_, _ = part.Write(file) // to memory: cannot fail
	if err := form.Close(); err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/api/v1/parse", &body)
	if err != nil {
		return err
	}

	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("X-API-Key", token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()

	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusUnprocessableEntity {
		return fmt.Errorf("status %d", answer.StatusCode)
	}

	return nil
}
