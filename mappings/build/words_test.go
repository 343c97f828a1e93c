package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/freelancer-matching/service/mappings"
)

func TestBuildDictionary_EmbeddedFileIsUpToDate(t *testing.T) {
	file, err := buildDictionary(os.DirFS("../curated"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file, mappings.Dictionary()) {
		t.Error("dictionary.v1.gz was built from another version of dictionary.words; run go run ./mappings/build")
	}
}
