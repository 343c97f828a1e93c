package testmode_test

import (
	"log/slog"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/testmode"
)

// BenchmarkOpen measures a start, and with more than one iteration mostly what a reset takes.
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		c := config.Default()
		c.Test = true
		c.Data = b.TempDir()
		s, err := testmode.Open(b.Context(), c, slog.New(slog.DiscardHandler))
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
