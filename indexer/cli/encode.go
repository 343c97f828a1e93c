package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/match/encoding"
)

const encodeHelp = `
Without -encode, a new index goes live first, and a running server then encodes its profiles with the sentence encoder,
about 5 ms for each on one core. With -encode, this command encodes them on all cores before the index goes live, so the
first match already gets the better order. It encodes only what no earlier load and no server has encoded, and an
interrupted command continues where it stopped. Profiles of a change in place are encoded afterward.
`

// bindEncode defines the flag -encode.
func bindEncode(flags *flag.FlagSet, encode *bool) {
	flags.BoolVar(encode, "encode", false, "encode profiles with the sentence encoder before the new index goes live")
}

// noEncoder returns the error for -encode where servers do without the sentence encoder.
func noEncoder() error {
	return commandline.Usagef("-encode needs the sentence encoder and the embedded engine; the encoder isn't used with " +
		"-embeddings-url, with -encoder off and, unless -encoder is on, on processors without AVX2")
}

// encodeBeforeLive makes the run encode the profiles of a new index before it goes live.
func (r *run) encodeBeforeLive() error {
	if r.index.EngineName() == "elasticsearch" { // where the vectors belong to the live index
		return noEncoder()
	}
	r.encoding = r.index.OpenEncoding(nil)
	if r.encoding == nil {
		return noEncoder()
	}

	r.options.Encode = func(ctx context.Context, index engine.Snapshot, observe func(done, total int)) error {
		err := r.encoding.Stage(ctx, index, encoding.Staging{Erased: r.index.Erased, Observe: observe})
		if err != nil {
			err = fmt.Errorf("encode the profiles: %w; those that are encoded stay so for the next load with -encode", err)
		}
		return err
	}

	return nil
}

// finishEncoding encodes the profiles of a change in place, and moves the vectors of a new index to where servers keep
// theirs. A running server does both by itself.
func (r *run) finishEncoding(ctx context.Context) error {
	if r.encoding == nil {
		return nil
	}
	err := errors.Join(r.encoding.Complete(ctx), r.encoding.Close())
	if err != nil {
		err = fmt.Errorf("the index is live, but not all of its profiles are encoded; a server encodes the rest: %w", err)
	}
	return err
}
