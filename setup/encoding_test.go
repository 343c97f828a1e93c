package setup

import (
	"context"
	"log/slog"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/encoder"
	"github.com/freelancer-matching/service/internal/matching"
)

// each embeds texts one by one.
type each struct{ sentenceEncoder }

func (e each) Embed(ctx context.Context, texts []string) (vectors []matching.Vector, err error) {
	for _, text := range texts {
		v, err := e.Encode(ctx, text)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, v)
	}
	return vectors, nil
}

// The encoder passes the test that models of embeddings servers have to pass, and unrelated texts are above the zero.
func TestEncoderZero(t *testing.T) {
	model, err := encoder.New()
	if err != nil {
		t.Fatal(err)
	}
	floor, err := embedding.Floor(t.Context(), each{sentenceEncoder{model}})
	if err != nil {
		t.Fatal(err)
	}
	if floor < encoderZero || floor > encoderZero+.1 {
		t.Errorf("the mean cosine of unrelated texts is %.3f, want slightly more than %v", floor, encoderZero)
	}
}

// Without being told to, the server does without the encoder on a processor on which every new brief would wait for it.
func TestOpenEncoding(t *testing.T) {
	for setting, want := range map[string]bool{
		config.EncoderOn: true, config.EncoderOff: false, config.EncoderAuto: encoder.IsFast(),
	} {
		c := config.Default()
		c.Data = t.TempDir()
		c.Encoder = setting
		x, err := OpenIndex(c, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}

		service := x.OpenEncoding(nil)
		if (service != nil) != want {
			t.Errorf("%s: opened %t, want %t", setting, service != nil, want)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}
