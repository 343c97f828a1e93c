//go:build !amd64

package kernel

// Best returns the fastest loops that the processor supports: those in Go.
func Best() Kernels {
	return Plain()
}

// Supported returns every version that the processor supports, the slowest first.
func Supported() []Kernels {
	return []Kernels{Plain()}
}
