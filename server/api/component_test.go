package api

import (
	"crypto/sha512"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/clients/web"
)

func TestComponent(t *testing.T) {
	h := New(newFixture().Dependencies).Handler()
	get := func(header, value string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, componentPath, nil)
		r.Header.Set(header, value)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}

	w := get("Origin", "https://shop.example")
	if w.Code != http.StatusOK || w.Body.String() != string(web.Component) ||
		w.Header().Get("Access-Control-Allow-Origin") != "*" ||
		!strings.HasPrefix(w.Header().Get("Content-Type"), "text/javascript") {
		t.Errorf("status %d, %v", w.Code, w.Header())
	}
	if again := get("If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("status %d for the same version", again.Code)
	}
}

// The component promises to be small, to need nothing else, and never to read HTML.
func TestComponent_IsSmallAndAlone(t *testing.T) {
	if n := len(web.Component); n >= 20_000 {
		t.Errorf("%d bytes, want less than 20,000", n)
	}
	text := strings.ReplaceAll(string(web.Component), "'http://www.w3.org/2000/svg'", "") // only a name
	for _, never := range []string{"innerHTML", "outerHTML", "AdjacentHTML", ".write", "eval(", "\nimport ", "http://"} {
		if strings.Contains(text, never) {
			t.Errorf("contains %q", never)
		}
	}
}

// The documentation has the hash of the file.
func TestComponent_HashInTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/browser.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum384(web.Component)
	if hash := "sha384-" + base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(string(page), hash) {
		t.Errorf("docs/browser.md lacks %s", hash)
	}
}
