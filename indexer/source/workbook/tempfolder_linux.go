package workbook

import (
	"fmt"
	"os"
)

// replaceByLink replaces the name of an open file by a link to the file itself.
func replaceByLink(path string, file *os.File) error {
	link := path + ".link"
	if err := os.Symlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd()), link); err != nil {
		return err
	}
	return os.Rename(link, path)
}
