package main

import (
	"errors"
	"flag"
	"math"

	"github.com/dustin/go-humanize"
)

// bindRemote defines the flags for inputs other than files.
func (o *loadOptions) bindRemote(flags *flag.FlagSet) {
	o.maxDownload = 4 << 30
	flags.Func("max-download", "largest standard input or pipe to copy to the temporary folder, as a `size` such as "+
		"500MB (default "+humanize.IBytes(uint64(o.maxDownload))+")",
		func(text string) error {
			size, err := humanize.ParseBytes(text)
			if err != nil || size == 0 || size > math.MaxInt64 {
				return errors.New("want a size, such as 500MB or 4GiB")
			}
			o.maxDownload = int64(size)
			return nil
		})
}
