package setup

import (
	"context"
	"testing"

	"freelancer-matching/internal/embedding"
	"freelancer-matching/internal/encoder"
	"freelancer-matching/internal/matching"
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
