// Command backcompat builds the data folders of one release. README.md says when and how to run it.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/llm/llmtest"
)

const (
	input      = "testdata/backcompat/people.ndjson"
	model      = "backcompat"
	dimensions = 48
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./testdata/backcompat FOLDER")
		os.Exit(2)
	}
	if err := build(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "backcompat:", err)
		os.Exit(1)
	}
}

// build builds one data folder with the built-in vectors only, and one that also has vectors of an embeddings API.
func build(folder string) error {
	if _, err := os.Stat(folder); err == nil {
		return fmt.Errorf("%s exists already; folders of earlier releases must not change", folder)
	}

	bin, err := os.MkdirTemp("", "backcompat-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)

	indexer := filepath.Join(bin, "indexer")
	if err := run("go", "build", "-o", indexer, "./indexer"); err != nil {
		return err
	}

	vectors, err := embedding.Load()
	if err != nil {
		return err
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}

	api := &http.Server{Handler: embeddings{vectors}, ReadHeaderTimeout: time.Minute}
	defer api.Close()

	go func() { _ = api.Serve(listener) }() // ends with the program

	builtin, own := filepath.Join(folder, "builtin"), filepath.Join(folder, "own-vectors")
	for _, args := range [][]string{
		{"load", "-data", builtin, input},
		{"reindex", "-data", builtin}, // the first index becomes the previous one
		{
			"load", "-data", own, input, "-embeddings-url", "http://" + listener.Addr().String() + "/v1",
			"-embeddings-model", model, "-embeddings-dimensions", strconv.Itoa(dimensions),
		},
	} {
		if err := run(indexer, args...); err != nil {
			return err
		}
	}

	for _, data := range []string{builtin, own} {
		if err := os.Remove(filepath.Join(data, "indexes", "indexer.lock")); err != nil {
			return err
		}
	}

	return nil
}

func run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// embeddings is an embeddings API whose vectors are the beginnings of the built-in ones.
type embeddings struct{ *embedding.Model }

// ServeHTTP implements http.Handler.
func (e embeddings) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request llmtest.EmbeddingsRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}

	known, err := e.Embed(r.Context(), request.Input)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}

	answer := llmtest.Embeddings{Object: "list", Model: model}
	for i, v := range known {
		// Fewer dimensions than the built-in vectors have keep the committed index small.
		vector := make([]float32, dimensions)
		for j, x := range v[:min(len(v), dimensions)] {
			vector[j] = float32(x)
		}
		answer.Data = append(answer.Data, llmtest.Embedding{Object: "embedding", Index: i, Embedding: vector})
	}

	if err := json.NewEncoder(w).Encode(answer); err != nil {
		fmt.Fprintln(os.Stderr, "backcompat:", err)
	}
}
