package cli

import "flag"

// given reports whether a flag is on the command line.
func given(flags *flag.FlagSet, name string) (found bool) {
	flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// setFlag sets a member of a brief to the value of a flag: if the flag is on the command line, or the brief has
// no value.
func setFlag(brief map[string]any, name string, value int, onCommandLine bool) {
	if _, has := brief[name]; !has || onCommandLine {
		brief[name] = value
	}
}
