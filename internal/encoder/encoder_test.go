package encoder

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/internal/encoder/kernel"
)

// shared returns an encoder for all tests, because decoding the model takes most of their time.
var shared = sync.OnceValues(New)

func newEncoder(tb testing.TB) *Encoder {
	tb.Helper()
	e, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func encode(tb testing.TB, e *Encoder, text string) Vector {
	tb.Helper()
	v, err := e.Encode(context.Background(), text)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

//go:embed testdata/reference.json
var referenceFile []byte

// A reference has what the libraries that the model was published for make of a text; testdata/reference.py wrote it.
type reference struct {
	Text           string
	Tokens         []int32
	Package, Exact referenceVector
}

type referenceVector struct {
	Scale  float64
	Values string
}

// cosine returns the cosine of a vector of the reference and one of ours.
func (r referenceVector) cosine(tb testing.TB, v Vector) float64 {
	tb.Helper()
	values, err := base64.StdEncoding.DecodeString(r.Values)
	if err != nil || len(values) != Dimensions {
		tb.Fatalf("%d values, %v", len(values), err)
	}

	var product, square float64
	for i, value := range values {
		product += float64(int8(value)) * float64(v.Values[i])
		square += float64(int8(value)) * float64(int8(value))
	}
	return product / math.Sqrt(square)
}

func references(tb testing.TB) []reference {
	tb.Helper()
	var rows []reference
	if err := json.Unmarshal(referenceFile, &rows); err != nil {
		tb.Fatal(err)
	}
	return rows
}

func TestModel_FileIsPinned(t *testing.T) {
	const want = "bd515a73631051357791b431b36a3686119e0c999c9863864eee34bec96ef93e"
	sum := sha256.Sum256(modelFile)
	if got := hex.EncodeToString(sum[:]); got != want || !strings.HasSuffix(ModelName, want[:8]) {
		t.Errorf("SHA-256 is %s, and the name %s", got, ModelName)
	}
	if len(modelFile) > 24_000_000 {
		t.Errorf("the file has %d bytes", len(modelFile))
	}
}

func TestEncode_ReadsTokensLikeTheReference(t *testing.T) {
	e := newEncoder(t)
	for _, r := range references(t) {
		tokens, truncated := e.tokenizer.Append(nil, r.Text, MaxTokens)
		if !slices.Equal(tokens, r.Tokens) || truncated != (len(r.Tokens) == MaxTokens) {
			t.Errorf("%.60q: got %v, truncated %v; want %v", r.Text, tokens, truncated, r.Tokens)
		}
	}
}

func TestEncode_IsCloseToTheReference(t *testing.T) {
	e := newEncoder(t)
	for _, r := range references(t) {
		v := encode(t, e, r.Text)

		// The package's own vectors are further from the exact ones than ours, because ONNX Runtime rounds more.
		exact, published := r.Exact.cosine(t, v), r.Package.cosine(t, v)
		if exact < .997 || published < .97 || v.Tokens != len(r.Tokens) {
			t.Errorf("%.60q: cosines %.4f and %.4f, %d tokens", r.Text, exact, published, v.Tokens)
		}
	}
}

// fingerprint returns a sum of the bits of a vector.
func fingerprint(v Vector) string {
	hash := sha256.New()
	for _, value := range v.Values {
		hash.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(value)))
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

func TestEncode_GivesTheSameBitsEverywhere(t *testing.T) {
	e := newEncoder(t)
	for text, want := range map[string]string{
		"Logo Designer. Illustrator, brand identity, packaging": "bf034d4210043a1a",
		"": "aa1ac7e0485ee942",
	} {
		for _, k := range kernel.Supported() {
			if k.Name == "plain" && text != "" && kernel.Best().Name != "plain" {
				continue // it takes a second with the race detector
			}

			other := *e
			other.kernels = k
			if got := fingerprint(encode(t, &other, text)); got != want {
				t.Errorf("%s: %q has the fingerprint %s, want %s", k.Name, text, got, want)
			}
		}
	}
}

func TestEncode_DoesNotDependOnEarlierTexts(t *testing.T) {
	e := newEncoder(t)
	const text = "Bookkeeper. QuickBooks, payroll"
	want := encode(t, e, text)
	encode(t, e, strings.Repeat("invoices and ledgers ", 60))

	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if got, err := e.Encode(context.Background(), text); err != nil || got != want {
				t.Errorf("another vector, or error %v", err)
			}
		})
	}
	group.Wait()
}

func TestEncode_CutsLongTexts(t *testing.T) {
	v := encode(t, newEncoder(t), strings.Repeat("a large text ", 80_000))
	if v.Tokens != MaxTokens || !v.Truncated {
		t.Errorf("%d tokens, truncated %v", v.Tokens, v.Truncated)
	}
}

func TestEncode_HasLengthOne(t *testing.T) {
	e := newEncoder(t)
	for _, text := range []string{"", "a", "\xff\xfe\x00", "translator"} {
		var square float64
		for _, value := range encode(t, e, text).Values {
			square += float64(value) * float64(value)
		}
		if math.Abs(square-1) > 1e-5 {
			t.Errorf("%q has a vector with the square %v", text, square)
		}
	}
}

func TestEncode_StopsWithItsContext(t *testing.T) {
	e := newEncoder(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 10 {
		if _, err := e.Encode(ctx, "text"); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
	encode(t, e, "a context that was canceled must not keep a buffer")
}

func TestOpen_RejectsDamagedFiles(t *testing.T) {
	for name, file := range map[string][]byte{"empty": nil, "short": modelFile[:1000], "text": []byte("no model")} {
		if _, err := open(file, kernel.Best()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	e := newEncoder(b)
	for name, text := range map[string]string{
		"40-tokens":  strings.Repeat("design ", 38),
		"150-tokens": strings.Repeat("design ", 148),
		"512-tokens": strings.Repeat("design ", 510),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				encode(b, e, text)
			}
		})
	}
}
