package input

import (
	"crypto/sha256"
	"encoding/hex"
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

// StartHash starts to compute the checksum. It reads again what was read before, the beginning of the content.
func (r *contentReader) StartHash() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum = sha256.New()
	_, err := io.Copy(r.sum, io.NewSectionReader(r.content, 0, r.at))
	return err
}

// FinishHash returns the checksum of the whole content. It reads what was not read before, which is nothing if a text
// was read to its end. Other formats are read by offset, so their checksum needs another look at the bytes.
func (r *contentReader) FinishHash() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := io.Copy(r.sum, io.NewSectionReader(r.content, r.at, r.content.Size()-r.at)); err != nil {
		return "", err
	}
	sum := hex.EncodeToString(r.sum.Sum(nil))
	r.sum = nil
	return sum, nil
}
