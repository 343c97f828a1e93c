package ocr

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolate puts the process into a group of its own, and lets the system kill it if this program dies.
func isolate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup kills the process and everything it started.
func killGroup(command *exec.Cmd) error {
	return syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
}

// limit bounds what a running process may use: address space, processor time and files.
func limit(pid int, o Options) error {
	seconds := uint64(o.Timeout.Seconds()) + 1
	for _, l := range []struct {
		resource int
		most     uint64
	}{
		{unix.RLIMIT_AS, uint64(o.MaxMemory)},
		{unix.RLIMIT_CPU, seconds},
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_NOFILE, 64},
	} {
		err := unix.Prlimit(pid, l.resource, &unix.Rlimit{Cur: l.most, Max: l.most}, nil)
		if err != nil && err != unix.ESRCH { // it has already ended
			return err
		}
	}
	return nil
}
