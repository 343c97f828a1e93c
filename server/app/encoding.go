package app

import (
	"context"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/encoding"
)

// maxEncoderWait is how long the encoding of a profile waits while requests run. With constant traffic, it takes about
// a thirtieth of one core.
const maxEncoderWait = 200 * time.Millisecond

// openEncoding opens the sentence encoder, unless the settings do without it.
func (s *Server) openEncoding(ctx context.Context) {
	pause := func(ctx context.Context) error {
		timer := time.NewTimer(maxEncoderWait)
		defer timer.Stop()
		return s.requests.Wait(ctx, timer.C)
	}
	s.encoding = s.Index.OpenEncoding(pause)

	switch {
	case s.encoding != nil:
		s.closeWith(s.encoding.Close)
	case s.config.UsesEncoder():
		s.log.InfoContext(ctx, "sentence encoder not used, because this processor lacks AVX2 and would take a second for a "+
			"brief; set encoder to on to use it anyway")
	}
}

// encode encodes profiles until ctx ends.
func (s *Server) encode(ctx context.Context) {
	if s.encoding != nil {
		s.encoding.Run(ctx)
	}
}

// profileChanged has changed profiles encoded soon.
func (s *Server) profileChanged(ids []string) {
	if s.encoding != nil {
		s.encoding.Want(ids)
	}
}

// eraseVectors erases the vectors of profiles, also those of an earlier run with the sentence encoder.
func (s *Server) eraseVectors(ctx context.Context, ids []string) error {
	return s.Index.EraseVectors(ctx, s.encoding, ids)
}

// Encode encodes all profiles of the live index before it returns. It does nothing without the sentence encoder.
func (s *Server) Encode(ctx context.Context) error {
	if s.encoding == nil {
		return nil
	}
	return s.encoding.Complete(ctx)
}

// A yielding service makes work in the background wait while it answers.
type yielding struct {
	*match.Service
	requests *encoding.Gate
}

// Match does what match.Service.Match does.
func (y yielding) Match(ctx context.Context, brief *matching.Brief) (*matching.Answer, error) {
	defer y.requests.Enter()()
	return y.Service.Match(ctx, brief)
}

// Read does what match.Service.Read does.
func (y yielding) Read(ctx context.Context, advert string) (*match.Advert, error) {
	defer y.requests.Enter()()
	return y.Service.Read(ctx, advert)
}

// Explain does what match.Service.Explain does.
func (y yielding) Explain(ctx context.Context, brief *matching.Brief, id string) (*matching.Standing, error) {
	defer y.requests.Enter()()
	return y.Service.Explain(ctx, brief, id)
}

// Alternatives does what match.Service.Alternatives does.
func (y yielding) Alternatives(
	ctx context.Context, brief *matching.Brief, id string,
) ([]matching.Alternative, bool, error) {
	defer y.requests.Enter()()
	return y.Service.Alternatives(ctx, brief, id)
}

// Order does what match.Service.Order does.
func (y yielding) Order(ctx context.Context, brief *matching.Brief) ([]string, error) {
	defer y.requests.Enter()()
	return y.Service.Order(ctx, brief)
}
