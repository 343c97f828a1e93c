//go:build unix && !aix && !solaris && !illumos

package sectionfile

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapReadOnly(file *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

func unmap(b []byte) error { return unix.Munmap(b) }

// release takes the pages of a mapping out of the memory of the process. They are mapped again when they are used.
func release(b []byte) error { return unix.Madvise(b, unix.MADV_DONTNEED) }
