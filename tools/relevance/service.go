package relevance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/dataset"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/setup"
)

// service is a running matching service that has a judged set's freelancers loaded.
type service struct {
	url, key string
	close    func() error
}

// requestTimeout limits one request. It is far longer than a response takes.
const requestTimeout = time.Minute

// startWith starts a service like start, for freelancers that are not in a file.
func startWith(ctx context.Context, freelancers []matching.Freelancer, encoder string) (*service, error) {
	folder, err := os.MkdirTemp("", "relevance-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "freelancers.ndjson")
	write := func(w io.Writer) error { return dataset.WriteNDJSON(w, slices.Values(freelancers)) }
	if err := writeFile(path, write); err != nil {
		return nil, err
	}
	return start(ctx, path, encoder)
}

// start loads a file of freelancers with the indexer's loader into a temporary folder, and serves them on a free local
// port. With the sentence encoder on, it first encodes all profiles. The service's close function stops it and removes
// the folder.
func start(ctx context.Context, freelancers, encoder string) (_ *service, err error) {
	folder, err := os.MkdirTemp("", "relevance-")
	if err != nil {
		return nil, err
	}

	// close grows with what has been opened, so that a failure at any step releases everything before it.
	s := &service{close: func() error { return os.RemoveAll(folder) }}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()

	c := config.Default()
	c.Data = folder
	c.Encoder = encoder
	log := slog.New(slog.DiscardHandler)
	server, err := app.Open(ctx, c, log)
	if err != nil {
		return nil, err
	}

	s.close = func() error { return errors.Join(server.Close(), os.RemoveAll(folder)) }
	if err := load(ctx, server.Index, freelancers, log); err != nil {
		return nil, err
	}
	if err := server.Encode(ctx); err != nil {
		return nil, err
	}

	// An evaluation sends many more requests than a small plan allows.
	request := apikey.Request{Name: "relevance", Plan: "enterprise"}
	if s.key, _, err = server.Keys.Create(ctx, audit.By{Actor: audit.System}, request); err != nil {
		return nil, err
	}

	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}

	s.url = "http://" + listener.Addr().String()
	front := &http.Server{Handler: server.Handler(), ReadHeaderTimeout: requestTimeout}
	go front.Serve(listener) //nolint:errcheck // Close ends it; an earlier failure makes every request fail
	s.close = func() error { return errors.Join(front.Close(), server.Close(), os.RemoveAll(folder)) }

	return s, nil
}

// load creates the live index from a file of freelancers.
func load(ctx context.Context, x *setup.Index, path string, log *slog.Logger) error {
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		return err
	}

	preparer, err := x.Preparer(ctx)
	if err != nil {
		return err
	}

	loader := bulk.Loader{Indexer: x.Engine, Preparer: preparer, Log: log, Now: time.Now}
	input := bulk.Input{Name: path, Open: func() (bulk.File, error) {
		return source.Open(input.FromPath(path), source.Options{})
	}}
	_, err = loader.Load(ctx, []bulk.Input{input}, bulk.Options{
		Owner: "relevance", Alias: match.Alias, Mapping: mapping, Source: "judged set", Currency: "USD",
		Taxonomy: x.Taxonomy.Version(), MaxFailures: bulk.DefaultLimit(),
		DeadLetters: func(string) string { return "" }, Progress: func(bulk.Progress) {},
	})
	if err != nil {
		return fmt.Errorf("load %s: %w", path, err)
	}

	return nil
}

// answer holds the members that the program uses from a response of POST /api/v1/match.
type answer struct {
	Matches []struct {
		Freelancer struct {
			ID string `json:"id"`
		} `json:"freelancer"`
		Score       float64            `json:"score"`
		Level       matching.Level     `json:"level"`
		Explanation []matching.Feature `json:"explanation"`
	} `json:"matches"`
	Skipped []matching.Skipped `json:"skipped"`
}

// post sends a match request and returns the response. Any status except 200 is an error.
func (s *service) post(ctx context.Context, body map[string]any) (*answer, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()

	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/v1/match", bytes.NewReader(encoded))
	if err != nil {
		return nil, err
	}

	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-API-Key", s.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()

	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the service answered %s: %s", response.Status, bytes.TrimSpace(content))
	}

	var a answer
	if err := json.Unmarshal(content, &a); err != nil {
		return nil, fmt.Errorf("decode the response of the service: %w", err)
	}

	return &a, nil
}
