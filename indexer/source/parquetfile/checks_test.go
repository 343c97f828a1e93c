package parquetfile

import (
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
)

func TestParquet_Decimals(t *testing.T) {
	for _, test := range []struct {
		value parquet.Value
		scale int
		want  string
	}{
		{parquet.Int32Value(4050), 2, "40.5"},
		{parquet.Int32Value(-5), 2, "-0.05"},
		{parquet.Int64Value(1200), 2, "12"},
		{parquet.Int64Value(7), 0, "7"},
		{parquet.ByteArrayValue([]byte{0x0f, 0xd2}), 2, "40.5"},
		{parquet.FixedLenByteArrayValue([]byte{0xff, 0xff, 0xff, 0xfb}), 1, "-0.5"},
		{parquet.ByteArrayValue(nil), 2, "0"},
	} {
		if got := decimalText(test.value, test.scale); got != test.want {
			t.Errorf("decimalText(%v, %d) = %s, want %s", test.value, test.scale, got, test.want)
		}
	}
}

// TestPageChecker_Bombs checks that a page is not decompressed beyond its size.
func TestPageChecker_Bombs(t *testing.T) {
	zeros := make([]byte, 1<<20)
	var checker pageChecker
	defer checker.close()

	for codec, pack := range map[format.CompressionCodec]compress.Codec{
		format.Snappy: &parquet.Snappy, format.Gzip: &parquet.Gzip, format.Brotli: &parquet.Brotli,
		format.Zstd: &parquet.Zstd, format.Lz4Raw: &parquet.Lz4Raw,
	} {
		page, err := pack.Encode(nil, zeros)
		if err != nil {
			t.Fatal(err)
		}

		if n, err := checker.expand(page, 1000, codec); err == nil && n <= 1000 {
			t.Errorf("%v: a page of %d bytes is expanded to %d", codec, len(page), n)
		}

		if n, err := checker.expand(page, int64(len(zeros)), codec); err != nil || n != int64(len(zeros)) {
			t.Errorf("%v: a page of %d bytes is expanded to %d, %v", codec, len(page), n, err)
		}
		page[len(page)/2] ^= 0xff
		_, _ = checker.expand(page, int64(len(zeros)), codec) // must end
	}
}

func TestThriftSize(t *testing.T) {
	text := []byte{0x18, 3, 'a', 'b', 'c', 0}
	for _, test := range []struct {
		name    string
		content []byte
		size    int // 0 if the content is damaged
	}{
		{"empty", []byte{0}, 1},
		{"numbers", []byte{0x15, 0x80, 0x01, 0x16, 2, 0x11, 0x12, 0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0, 9}, 17},
		{"text", text, 6},
		{"list of texts", []byte{0x19, 0x28, 1, 'a', 1, 'b', 0}, 7},
		{"list of structures", append([]byte{0x19, 0x2c}, append(append(text, text...), 0)...), 15},
		{"map", []byte{0x1b, 1, 0x85, 1, 'a', 4, 0}, 7},
		{"far field", []byte{0x05, 0x80, 0x01, 2, 0}, 5},
		{"nothing", nil, 0},
		{"no end", []byte{0x15, 2}, 0},
		{"long text", []byte{0x18, 0xff, 0xff, 0xff, 0xff, 0x07, 'a', 0}, 0},
		{"long list", []byte{0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0, 0}, 0},
		{"nested without end", []byte(strings.Repeat("\x1c", 1000)), 0},
		{"nested lists without end", []byte("\x19" + strings.Repeat("\x19", 1000)), 0},
		{"unknown type", []byte{0x1f, 0}, 0},
	} {
		size, err := thriftSize(test.content)
		if (err == nil) != (test.size > 0) || err == nil && size != test.size {
			t.Errorf("%s: size %d, %v; want %d", test.name, size, err, test.size)
		}
	}
}
