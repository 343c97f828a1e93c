package sqlite

import (
	"testing"

	"github.com/freelancer-matching/service/store/storetest"
)

func TestVerdicts(t *testing.T) {
	storetest.Verdicts(t, func(t *testing.T) storetest.VerdictStore { return newDB(t).Verdicts })
}

func TestTokens(t *testing.T) {
	storetest.Tokens(t, func(t *testing.T, perAccount, perService int) storetest.TokenStore {
		return newDB(t).Tokens(perAccount, perService)
	})
}
