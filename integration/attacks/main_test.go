//go:build integration

package attacks

import (
	"os"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

func TestMain(m *testing.M) { os.Exit(programs.Main(m, func() error { return nil })) }
