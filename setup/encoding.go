package setup

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/encoder"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/match/encoding"
)

const (
	// encoderZero is the cosine at and below which a brief and a profile have nothing in common. The mean of unrelated
	// texts, .55, is above it. From .45 to .55, judged orders are equally good; here, the similarities of the best 50 are
	// as large as those by the built-in vectors, so scores keep their level.
	encoderZero = .5
	// commonMean is the mean cosine of 5,125 real profiles with the common direction. commonShare is half the length of
	// the mean vector that has this direction, so that a profile loses half its mean cosine with the most common skills.
	commonMean  = .66
	commonShare = .38
	// encoderTick is how often the server looks whether another index is live.
	encoderTick = time.Second
	// elasticRelist is the least time between two listings of an index on Elasticsearch, which sends all records for each.
	// Changes over HTTP and profiles of matches are encoded at once; other changes wait for a listing.
	elasticRelist = 10 * time.Minute
)

// OpenEncoding returns the service that encodes profiles in the background and compares briefs with them, or nil if the
// settings do without it. With the setting auto, it is also nil on a slow processor, because every new brief would wait
// for it. Before each profile, the service calls pause, which may be nil.
func (x *Index) OpenEncoding(pause func(context.Context) error) *encoding.Service {
	isTooSlow := x.config.Encoder == config.EncoderAuto && !encoder.IsFast()
	if isTooSlow {
		return nil
	}
	return x.Encoding(pause)
}

// Encoding does what OpenEncoding does, on a slow processor, too.
func (x *Index) Encoding(pause func(context.Context) error) *encoding.Service {
	if !x.config.UsesEncoder() {
		return nil
	}

	open := func() (encoding.Encoder, error) {
		model, err := encoder.New()
		if err != nil {
			return nil, err
		}
		return sentenceEncoder{model}, nil
	}
	return encoding.New(encoding.Config{
		Open:   open,
		Model:  encoderSpace(),
		Prefix: encoder.QueryPrefix,
		Zero:   encoderZero,
		Common: encoding.Common{Direction: encoder.Common(), Mean: commonMean, Share: commonShare},
		Index:  x.Engine,
		Alias:  match.Alias,
		Texts:  documents.NewPreparer(x.Taxonomy, x.Analyzer, x.Vectors).EncoderTexts,
		Store:  x.encodedStore(),
		Pause:  pause,
		Tick:   encoderTick,
		Relist: x.relist(),
		Log:    x.log,
	})
}

// encoderSpace returns the name of the model with the version of the texts of profiles. Vectors of others can't be
// compared.
func encoderSpace() string {
	return fmt.Sprintf("%s, texts %d", encoder.ModelName, documents.EncoderTextsVersion)
}

// relist returns the least time between two listings of an index.
func (x *Index) relist() time.Duration {
	if x.config.Elasticsearch.On() {
		return elasticRelist
	}
	return 0
}

// encodedStore returns where the vectors of profiles are stored: in the data folder, or in Elasticsearch.
func (x *Index) encodedStore() encoding.Store {
	if e, ok := x.Engine.(*elastic.Engine); ok {
		host, err := os.Hostname()
		if err != nil {
			host = "an unknown host"
		}
		return e.Encoded(encoderSpace(), fmt.Sprintf("a server on %s (process %d)", host, os.Getpid()))
	}
	return encoding.InFile(VectorFile(x.config.Data), encoderSpace())
}

// EraseVectors erases the vectors of profiles durably, also those of an earlier run with the sentence encoder or the
// embedded engine. service is nil if the sentence encoder isn't used now.
func (x *Index) EraseVectors(ctx context.Context, service *encoding.Service, ids []string) error {
	var store interface {
		Erase(ctx context.Context, ids []string) error
	} = service
	if service == nil {
		store = x.encodedStore()
	}
	if err := store.Erase(ctx, ids); err != nil || !x.config.Elasticsearch.On() {
		return err
	}
	return encoding.InFile(VectorFile(x.config.Data), encoderSpace()).Erase(ctx, ids) // of the embedded engine
}

// A sentenceEncoder adapts the encoder of this program.
type sentenceEncoder struct{ model *encoder.Encoder }

// Encode implements encoding.Encoder.
func (s sentenceEncoder) Encode(ctx context.Context, text string) (matching.Vector, error) {
	v, err := s.model.Encode(ctx, text)
	if err != nil {
		return nil, err
	}
	return embedding.Round(v.Values[:]), nil
}
