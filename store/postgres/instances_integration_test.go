//go:build integration

package postgres

import (
	"testing"

	"freelancer-matching/instances"
	"freelancer-matching/store/storetest"
)

func TestInstances(t *testing.T) {
	storetest.Instances(t, func(t *testing.T) instances.Store { return newDB(t).Instances })
}
