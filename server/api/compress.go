package api

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"github.com/freelancer-matching/service/server/api/endpoint"
)

// minCompressed is the size from which a response is compressed, in bytes. Smaller ones fit into one packet anyway.
const minCompressed = 1400

// compress returns a handler that compresses the responses of the API with zstd or gzip, for clients that accept it.
//
// Streams stay as they are, because their parts must arrive when they are written. So do the pages: they have secrets
// of a session beside texts of a request, whose sizes together would reveal the secrets (the BREACH attack).
func compress(plain http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(1), gzhttp.EnableZstd(true),
		gzhttp.ContentTypeFilter(isCompressible),
	)
	if err != nil {
		panic(fmt.Errorf("compress responses: %w", err)) // the options are constant
	}

	compressed := wrap(plain)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, basePath+"/") || strings.HasPrefix(r.URL.Path, "/openapi") {
			compressed.ServeHTTP(w, r)
			return
		}
		plain.ServeHTTP(w, r)
	})
}

// isCompressible reports whether responses of a content type are compressed.
func isCompressible(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && slices.Contains(
		[]string{endpoint.JSONType, endpoint.ProblemType, "application/yaml", "text/csv"}, mediaType)
}
