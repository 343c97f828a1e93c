//go:build integration

package postgres

import (
	"testing"

	"github.com/freelancer-matching/service/store/storetest"
)

func TestRequestLog(t *testing.T) {
	storetest.RequestLog(t, func(t *testing.T) storetest.RequestStore { return newDB(t).RequestLog })
}
