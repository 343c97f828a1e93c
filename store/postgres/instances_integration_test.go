//go:build integration

package postgres

import (
	"testing"

	"github.com/freelancer-matching/service/instances"
	"github.com/freelancer-matching/service/store/storetest"
)

func TestInstances(t *testing.T) {
	storetest.Instances(t, func(t *testing.T) instances.Store { return newDB(t).Instances })
}
