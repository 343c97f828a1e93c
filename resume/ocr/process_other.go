//go:build !linux

package ocr

import "os/exec"

// isolate does nothing: process groups and their limits are only used on Linux.
func isolate(*exec.Cmd) {}

// killGroup kills the process.
func killGroup(command *exec.Cmd) error { return command.Process.Kill() }

// limit does nothing.
func limit(int, Options) error { return nil }
