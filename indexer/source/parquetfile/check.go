package parquetfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/dustin/go-humanize"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/freelancer-matching/service/indexer/source/input"
)

// maxPages is the memory in bytes for one page, and one dictionary, of each column of a row group.
const maxPages = 1 << 30

// maxFooter is the size in bytes of the largest footer, which describes all columns of all row groups.
const maxFooter = 16 << 20

// maxPageHeader is the size in bytes of the largest header of a page, which may have the least and the greatest value.
const maxPageHeader = 256 << 10

// checkFooter checks that a Parquet file ends with a footer of the size that it says, and that the lists in it are as
// long as they say. The library allocates what they say.
func checkFooter(content io.ReaderAt, size int64) error {
	const magic, ends = "PAR1", 8 // the size of the footer, and the magic bytes
	var end [ends]byte
	if _, err := content.ReadAt(end[:], max(0, size-ends)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}

	footer := int64(binary.LittleEndian.Uint32(end[:]))

	// The footer is written last, so a file that was cut off has none.
	if string(end[4:]) != magic || footer > size-ends-int64(len(magic)) {
		return errors.New("the Parquet file is incomplete or damaged: it does not end with a footer")
	}
	if footer > maxFooter {
		return fmt.Errorf("the footer of the Parquet file is larger than %s", humanize.IBytes(maxFooter))
	}

	description := make([]byte, footer)
	if _, err := content.ReadAt(description, size-ends-footer); err != nil {
		return err
	}
	if _, err := thriftSize(description); err != nil {
		return fmt.Errorf("the Parquet file is damaged: %w", err)
	}

	return nil
}

// pageChecker checks that the pages of a Parquet file are as large as they say, and not too large. The library takes
// the sizes for granted: it would decompress a bomb, or a damaged page, until the memory is used up.
type pageChecker struct {
	content io.ReaderAt
	page    []byte // compressed
	block   []byte // decompressed, for formats that can't be streamed
	zstd    *zstd.Decoder
}

func (c *pageChecker) close() {
	if c.zstd != nil {
		c.zstd.Close()
	}
}

// check checks the pages of a row group.
func (c *pageChecker) check(group *format.RowGroup) error {
	total := int64(0)
	for i := range group.Columns {
		size, err := c.checkColumn(&group.Columns[i].MetaData)
		if err != nil {
			return err
		}
		if total += size; total > maxPages {
			return fmt.Errorf("the pages of a row group need more than %s of memory; write the file with smaller pages",
				humanize.IBytes(maxPages))
		}
	}
	return nil
}

// checkColumn returns the memory that the largest page and the dictionary of a column need.
func (c *pageChecker) checkColumn(column *format.ColumnMetaData) (int64, error) {
	start := column.DataPageOffset // a dictionary precedes the data
	if column.DictionaryPageOffset != 0 {
		start = column.DictionaryPageOffset
	}

	if start < 0 || column.TotalCompressedSize < 0 {
		return 0, errors.New("the place of a column is invalid")
	}
	pages := bufio.NewReaderSize(io.NewSectionReader(c.content, start, column.TotalCompressedSize), maxPageHeader)
	var largest, dictionaries int64

	for {
		header, err := nextPage(pages)
		if errors.Is(err, io.EOF) {
			return largest + dictionaries, nil
		}
		if err != nil {
			return 0, err
		}
		if header.CompressedPageSize < 0 || header.UncompressedPageSize < 0 {
			return 0, errors.New("the size of a page is invalid")
		}

		size := int64(header.UncompressedPageSize)
		if header.Type == format.DictionaryPage {
			dictionaries += size + valueSizes(header.DictionaryPageHeader.V.NumValues)
		} else {
			// A page has one of the two headers; the numbers of the other are zero.
			size += valueSizes(max(header.DataPageHeader.V.NumValues, header.DataPageHeaderV2.V.NumValues))
			largest = max(largest, size)
		}

		// The row group is rejected for this size, so the rest of a bomb needn't be decompressed.
		if largest+dictionaries > maxPages {
			return largest + dictionaries, nil
		}
		if err := c.checkPage(pages, header, column.Codec); err != nil {
			return 0, err
		}
	}
}

// nextPage reads the header of the next page. It returns io.EOF after the last page.
func nextPage(pages *bufio.Reader) (*format.PageHeader, error) {
	// Fewer bytes than that are left near the end.
	head, err := pages.Peek(maxPageHeader)
	if len(head) == 0 && err != nil {
		return nil, err
	}
	size, err := thriftSize(head)
	if err != nil {
		return nil, err
	}
	header := new(format.PageHeader)
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), head[:size], header); err != nil {
		return nil, fmt.Errorf("the header of a page: %w", err)
	}
	_, err = pages.Discard(size)
	return header, err
}

// valueSizes returns the memory in bytes for the levels and positions of values, which may be compressed well.
func valueSizes(values int32) int64 { return 8 * int64(values) }

// checkPage reads a page, and returns an error if it has another size than its header says.
func (c *pageChecker) checkPage(pages io.Reader, header *format.PageHeader, codec format.CompressionCodec) error {
	page := bytes.NewBuffer(c.page[:0])
	_, err := io.CopyN(page, pages, int64(header.CompressedPageSize)) // grows with what the file has
	c.page = page.Bytes()

	if errors.Is(err, io.EOF) {
		return errors.New("a page is incomplete")
	}
	if err != nil {
		return err
	}

	compressed := c.page
	size := int64(header.UncompressedPageSize)

	if v2 := header.DataPageHeaderV2; v2.Valid { // the levels are not compressed
		levels := int64(v2.V.DefinitionLevelsByteLength) + int64(v2.V.RepetitionLevelsByteLength)
		if levels < 0 || levels > min(int64(len(compressed)), size) {
			return errors.New("the levels of a page are invalid")
		}
		compressed = compressed[levels:]
		size -= levels

		if v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
			codec = format.Uncompressed
		}
	}

	if len(compressed) == 0 {
		return nil
	}
	expanded, err := c.expand(compressed, size, codec)
	if err != nil {
		return fmt.Errorf("a page can't be decompressed: %w", err)
	}
	if expanded != size {
		return fmt.Errorf("a page of %d bytes says that it has %d", expanded, size)
	}

	return nil
}

// expand returns the decompressed size of a page, or limit+1 if it is larger than limit.
func (c *pageChecker) expand(page []byte, limit int64, codec format.CompressionCodec) (n int64, err error) {
	var r io.Reader
	switch codec {
	case format.Uncompressed:
		return int64(len(page)), nil
	// A block of Snappy begins with its size, and its decoder rejects a block of any other size.
	case format.Snappy:
		size, err := snappy.DecodedLen(page)
		return int64(size), err
	case format.Lz4Raw:
		if int64(cap(c.block)) < limit {
			c.block = make([]byte, limit)
		}
		size, err := lz4.UncompressBlock(page, c.block[:limit])
		return int64(size), err

	case format.Gzip:
		r, err = gzip.NewReader(bytes.NewReader(page))
	case format.Brotli:
		r = brotli.NewReader(bytes.NewReader(page))
	case format.Zstd:
		if c.zstd == nil {
			c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(input.MaxWindow))
		}
		if err == nil {
			err = c.zstd.Reset(bytes.NewReader(page))
		}
		r = c.zstd

	default:
		return 0, fmt.Errorf("the compression %v is not supported; write the file with snappy, gzip or zstd", codec)
	}

	if err != nil {
		return 0, err
	}

	return io.Copy(io.Discard, io.LimitReader(r, limit+1))
}
