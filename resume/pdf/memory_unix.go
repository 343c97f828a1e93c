//go:build unix

package pdf

import "syscall"

// mapPages maps anonymous pages, which are zero. It returns nil if the system refuses.
func mapPages(size uint64) []byte {
	const access, kind = syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_PRIVATE | syscall.MAP_ANON
	pages, err := syscall.Mmap(-1, 0, int(size), access, kind)
	if err != nil {
		return nil
	}
	return pages
}

func unmapPages(pages []byte) { _ = syscall.Munmap(pages) }
