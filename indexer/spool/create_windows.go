package spool

import (
	"crypto/rand"
	"os"
	"path/filepath"
)

// deleteOnClose is FILE_FLAG_DELETE_ON_CLOSE: Windows deletes the file with its last handle, which it closes when the
// process ends.
const deleteOnClose = 0x04000000

// create creates a file that disappears with its handle. Until then it has a name.
func create(folder string) (*os.File, error) {
	path := filepath.Join(folder, "indexer-"+rand.Text())
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|deleteOnClose, 0o600)
}
