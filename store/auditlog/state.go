package auditlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/audit/chain"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// verifyEvery is how often the servers verify the chains together.
const verifyEvery = 24 * time.Hour

func stateColumns(s *chain.State) []any {
	return append(positionColumns(&s.Head), &s.Verified, column.Time(&s.VerifiedAt), &s.Fault)
}

// States returns what the last verification by a server found about each chain.
func (s Log) States(ctx context.Context) ([]chain.State, error) {
	states, err := sqldb.SelectAll(ctx, s.db.Pools.Read, stateColumns, `
		SELECT chain, sequence, hash, verified, verified_at, fault FROM audit_chains ORDER BY chain DESC`)
	if err != nil {
		return nil, fmt.Errorf("read audit chains: %w", s.db.Note(err))
	}
	return states, nil
}

// VerifyDaily verifies the chains that no server has verified for a day, and stores what it found. It returns an error
// for each chain that doesn't hold.
func (s Log) VerifyDaily(ctx context.Context, now time.Time) error {
	states, err := s.States(ctx)
	if err != nil {
		return err
	}

	var broken []error
	for _, state := range states {
		if now.Sub(state.VerifiedAt) < verifyEvery {
			continue
		}

		report, err := s.Verify(ctx, state.Head.Chain, nil)
		if err != nil && !chain.IsBroken(err) {
			return err
		}
		if err != nil {
			broken = append(broken, err)
			state.Fault = err.Error()
		} else {
			state.Fault = ""
		}

		err = s.db.Exec(ctx, "store that audit chains were verified",
			"UPDATE audit_chains SET verified = $2, verified_at = $3, fault = $4 WHERE chain = $1",
			string(state.Head.Chain), report.Head.Sequence, column.Time(&now), state.Fault)
		if err != nil {
			return err
		}
	}
	return errors.Join(broken...)
}
