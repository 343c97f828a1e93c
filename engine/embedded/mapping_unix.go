//go:build unix && !aix && !solaris && !illumos

package embedded

import (
	"os"
	"syscall"
)

func mapReadOnly(file *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}

func unmap(b []byte) error { return syscall.Munmap(b) }
