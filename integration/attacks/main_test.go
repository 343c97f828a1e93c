//go:build integration

package attacks

import (
	"os"
	"testing"

	"freelancer-matching/integration/programs"
)

func TestMain(m *testing.M) { os.Exit(programs.Main(m, func() error { return nil })) }
