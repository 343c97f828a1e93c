//go:build unix

package pdf

import "syscall"

// mapPages maps anonymous pages, which are zero. It returns nil if the system refuses.
func mapPages(size uint64) []byte {
	pages, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil
	}
	return pages
}

func unmapPages(pages []byte) { _ = syscall.Munmap(pages) }
