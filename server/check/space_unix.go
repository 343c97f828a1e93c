//go:build linux || darwin

package check

import "syscall"

// freeSpace returns how many bytes this user can write to the disk of a path.
func freeSpace(path string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
