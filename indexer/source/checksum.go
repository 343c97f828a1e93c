package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"sync"
	"sync/atomic"
)

// contentReader reads a content from its start and counts the bytes. It computes their checksum if that was asked for,
// so that the content isn't read again. Some decompressors read in a goroutine of their own.
type contentReader struct {
	content Content
	count   *atomic.Int64

	mu  sync.Mutex // guards the fields below
	at  int64      // bytes read
	sum hash.Hash  // of these bytes; nil unless the checksum was asked for
}

// Read implements io.Reader.
func (r *contentReader) Read(p []byte) (int, error) {
	n, err := r.content.Read(p)
	r.count.Add(int64(n))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sum != nil {
		r.sum.Write(p[:n])
	}
	r.at += int64(n)
	return n, err
}

// startHash starts to compute the checksum. It reads again what was read before, the beginning of the content.
func (r *contentReader) startHash() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum = sha256.New()
	_, err := io.Copy(r.sum, io.NewSectionReader(r.content, 0, r.at))
	return err
}

// finishHash returns the checksum of the whole content. It reads what was not read before, which is nothing if a text
// was read to its end. Other formats are read by offset, so their checksum needs another look at the bytes.
func (r *contentReader) finishHash() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := io.Copy(r.sum, io.NewSectionReader(r.content, r.at, r.content.Size()-r.at)); err != nil {
		return "", err
	}
	sum := hex.EncodeToString(r.sum.Sum(nil))
	r.sum = nil
	return sum, nil
}

// StartHash starts to compute the checksum for SHA256. It must be called before Rows.
func (f *File) StartHash() error {
	if err := f.in.bytes.startHash(); err != nil {
		return fmt.Errorf("%s: %w", f.in.name, err)
	}
	return nil
}

// SHA256 returns the checksum of the file as it is stored, compressed or not, in hexadecimal. StartHash must have been
// called, and all rows must have been read.
func (f *File) SHA256() (string, error) {
	sum, err := f.in.bytes.finishHash()
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.in.name, err)
	}
	return sum, nil
}
