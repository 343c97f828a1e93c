//go:build !unix || aix || solaris || illumos

package sectionfile

import (
	"errors"
	"os"
)

func mapReadOnly(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return nil }

func release([]byte) error { return nil }
