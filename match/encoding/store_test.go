package encoding_test

import (
	"path/filepath"
	"testing"

	"github.com/freelancer-matching/service/match/encoding"
	"github.com/freelancer-matching/service/match/encoding/storetest"
)

func TestInFile(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func(space string) encoding.Store {
		path := filepath.Join(t.TempDir(), "encoder", "vectors.bin")
		return func(space string) encoding.Store { return encoding.InFile(path, space) }
	})
}
