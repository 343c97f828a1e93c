package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// random returns reproducible numbers of about the sizes that occur, and some extremes.
func random(r *rand.Rand, count int) []float32 {
	values := make([]float32, count)
	for i := range values {
		values[i] = float32(r.NormFloat64() * 3)
	}
	values[0], values[count-1] = 1e6, -1e6
	return values
}

func randomBytes(r *rand.Rand, count, low, high int) []byte {
	values := make([]byte, count)
	for i := range values {
		values[i] = byte(low + r.IntN(high-low+1))
	}
	return values
}

func randomWords(r *rand.Rand, count, limit int) []int16 {
	values := make([]int16, count)
	for i := range values {
		values[i] = int16(r.IntN(2*limit+1) - limit)
	}
	return values
}

func randomInts(r *rand.Rand, count, limit int) []int32 {
	values := make([]int32, count)
	for i := range values {
		values[i] = int32(r.IntN(2*limit+1) - limit)
	}
	return values
}

// results runs every loop on the same input.
func results(k Kernels, seed uint64) map[string]any {
	r := rand.New(rand.NewPCG(seed, 1))
	count := Multiple * (1 + r.IntN(20))
	out := make(map[string]any)

	inputs := 4 * (1 + r.IntN(100))
	tile := make([]int32, Rows*Outputs)
	k.TileBytes(tile, randomBytes(r, Rows*inputs, 0, 255), randomBytes(r, Outputs*inputs, -64, 64), inputs)
	out["TileBytes"] = tile

	words := make([]int32, Rows*(Lanes+5))
	k.TileWords(words, Lanes+5, randomWords(r, Rows*(inputs+3), 2047), inputs+3,
		randomWords(r, Lanes*inputs, 2047), inputs)
	out["TileWords"] = words

	outputs := make([]float32, count)
	k.Dequantize(outputs, randomInts(r, count, 1<<20), randomInts(r, count, 1<<16), random(r, count), random(r, count),
		int32(r.IntN(256)), r.Float32()/100)
	out["Dequantize"] = outputs

	low, high := k.Range(random(r, count))
	out["Range"] = []float32{low, high}

	quantized := make([]byte, count)
	k.QuantizeBytes(quantized, random(r, count), 20, int32(r.IntN(256)))
	out["QuantizeBytes"] = quantized

	quantizedWords := make([]int16, count)
	k.QuantizeWords(quantizedWords, random(r, count), 1000)
	out["QuantizeWords"] = quantizedWords

	most := random(r, count)
	k.Magnitudes(most, random(r, count))
	out["Magnitudes"] = most

	activated := random(r, count)
	k.GELU(activated)
	out["GELU"] = activated

	scores := randomInts(r, count, 1<<28)
	out["Max"] = k.Max(scores)
	exponents := make([]float32, count)
	k.Exp(exponents, scores, k.Max(scores), 1e-7)
	out["Exp"] = exponents

	out["Sum"] = k.Sum(random(r, count))
	out["SquaredDistances"] = k.SquaredDistances(random(r, count), r.Float32())

	added := random(r, count)
	k.Add(added, random(r, count))
	out["Add"] = added

	normalized := random(r, count)
	k.Normalize(normalized, random(r, count), random(r, count), r.Float32(), r.Float32())
	out["Normalize"] = normalized
	return out
}

// bits compares floating-point numbers bit by bit.
func bits() cmp.Option {
	return cmp.Comparer(func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) })
}

func TestKernels_GiveTheSameBits(t *testing.T) {
	for _, k := range Supported() {
		t.Run(k.Name, func(t *testing.T) {
			for seed := range uint64(50) {
				if diff := cmp.Diff(results(Plain(), seed), results(k, seed), bits()); diff != "" {
					t.Fatalf("seed %d (-plain +%s):\n%s", seed, k.Name, diff)
				}
			}
		})
	}
}

// The largest products that the model can have must not overflow the 16 bits in which AVX2 adds them in pairs.
func TestTileBytes_HoldsExtremes(t *testing.T) {
	const inputs = 1536
	for _, k := range Supported() {
		for _, weight := range []int{-64, 64} {
			sums := make([]int32, Rows*Outputs)
			r := rand.New(rand.NewPCG(1, 1))
			k.TileBytes(sums, randomBytes(r, Rows*inputs, 255, 255), randomBytes(r, Outputs*inputs, weight, weight), inputs)
			for _, sum := range sums {
				if want := int32(255 * weight * inputs); sum != want {
					t.Fatalf("%s: got %d, want %d", k.Name, sum, want)
				}
			}
		}
	}
}

func TestGELU_IsClose(t *testing.T) {
	for i := -8000; i <= 8000; i++ {
		x := float64(float32(i) / 1000)
		values := []float32{float32(x)}
		gelu(values)
		if want := x / 2 * math.Erfc(-x/math.Sqrt2); math.Abs(float64(values[0])-want) > 2e-6 {
			t.Fatalf("gelu(%v) = %v, want %v", x, values[0], want)
		}
	}
}

func TestExp_IsClose(t *testing.T) {
	for i := range 87_000 {
		x := -float32(i) / 1000
		if want := math.Exp(float64(x)); math.Abs(float64(expNegative(x))/want-1) > 3e-7 {
			t.Fatalf("exp(%v) = %v, want %v", x, expNegative(x), want)
		}
	}
}

func BenchmarkTileBytes(b *testing.B) {
	const inputs = 384
	for _, k := range Supported() {
		b.Run(k.Name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			sums, rows := make([]int32, Rows*Outputs), randomBytes(r, Rows*inputs, 0, 255)
			packed := randomBytes(r, Outputs*inputs, -64, 64)
			for b.Loop() {
				k.TileBytes(sums, rows, packed, inputs)
			}
		})
	}
}
