package commandline

import (
	"flag"
	"strings"
)

// Given returns the texts that args give to each flag, in their order. The arguments must be valid for [Parse].
func Given(flags *flag.FlagSet, args []string) map[string][]string {
	given := make(map[string][]string)
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, isFlag := strings.CutPrefix(args[i], "-")
		if !isFlag || name == "" {
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		f := flags.Lookup(name)
		if f == nil {
			continue
		}

		switch b, ok := f.Value.(interface{ IsBoolFlag() bool }); {
		case hasValue:
		case ok && b.IsBoolFlag():
			value = "true"
		case i+1 < len(args):
			i++
			value = args[i]
		}

		given[name] = append(given[name], value)
	}

	return given
}
