package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// writeFile writes personal data to a new file that only its owner can read, and prints its name. Without a file, it
// writes to standard output. If write fails, it leaves no file behind.
func (c console) writeFile(file string, write func(io.Writer) error) error {
	if file == "" {
		return buffered(c.stdout, write)
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(buffered(out, write), out.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	fmt.Fprintln(c.stdout, "Written to", file)
	return nil
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	out := bufio.NewWriter(w)
	if err := write(out); err != nil {
		return err
	}
	return out.Flush()
}
