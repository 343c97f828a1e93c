package cli

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/internal/commandline"
)

func (c *cli) completionCommand() *command {
	return &command{
		name: "completion", arguments: "bash | zsh | fish", summary: "print a script that completes commands in a shell",
		details: `
Examples:
  source <(matching completion bash)
  matching completion fish > ~/.config/fish/completions/matching.fish
`,
		flags: commandline.NewFlags("matching completion"), fewest: 1, most: 1,
		run: func(_ context.Context, args []string) error {
			// zsh runs functions for bash.
			switch args[0] {
			case "bash":
				c.completeBash()
			case "zsh":
				fmt.Fprintln(c.stdout, "autoload -U +X bashcompinit && bashcompinit")
				c.completeBash()
			case "fish":
				c.completeFish()
			default:
				return commandline.Usagef("completion needs a shell: bash, zsh or fish; got %q", args[0])
			}
			return nil
		},
	}
}

// words returns what may follow a command: its subcommands and flags.
func (cmd *command) words() (words []string) {
	for part := range strings.SplitSeq(strings.Trim(cmd.arguments, "[]"), " | ") {
		if word, _, _ := strings.Cut(part, " "); word != "" && word == strings.ToLower(word) {
			words = append(words, word)
		}
	}
	cmd.flags.VisitAll(func(f *flag.Flag) { words = append(words, "-"+f.Name) })
	return words
}

// completeBash prints a function for bash. Arguments that are neither commands nor flags are files.
func (c *cli) completeBash() {
	var names []string
	fmt.Fprint(c.stdout, "_matching() {\n  local word=${COMP_WORDS[COMP_CWORD]} words=\n  case ${COMP_WORDS[1]} in\n")
	for _, cmd := range c.commands() {
		names = append(names, cmd.name)
		fmt.Fprintf(c.stdout, "    %s) words=%q ;;\n", cmd.name, strings.Join(cmd.words(), " "))
	}
	fmt.Fprintf(c.stdout, "  esac\n  [ \"$COMP_CWORD\" -gt 1 ] || words=%q\n", strings.Join(names, " "))
	fmt.Fprint(c.stdout, "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"+
		"complete -o default -F _matching matching\n")
}

func (c *cli) completeFish() {
	for _, cmd := range c.commands() {
		fmt.Fprintf(c.stdout, "complete -c matching -n __fish_use_subcommand -a %s -d %q\n", cmd.name, cmd.summary)
		for _, word := range cmd.words() {
			option := "-a " + word
			if name, isFlag := strings.CutPrefix(word, "-"); isFlag {
				option = "-o " + name
			}
			fmt.Fprintf(c.stdout, "complete -c matching -n '__fish_seen_subcommand_from %s' %s\n", cmd.name, option)
		}
	}
}
