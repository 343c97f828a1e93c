package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/server/openapi"
)

func TestTypes_AreCurrent(t *testing.T) {
	want, err := generate(openapi.YAML())
	if err != nil {
		t.Fatal(err)
	}

	got, err := os.ReadFile("../../clients/go/types.go")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(want)); diff != "" {
		t.Errorf("run: go run ./tools/clienttypes >clients/go/types.go\n%s", diff)
	}
}
