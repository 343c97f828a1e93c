package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/freelancer-matching/service/internal/commandline"
)

// errNotConfirmed ends a command that the operator did not confirm.
var errNotConfirmed = errors.New("not confirmed; nothing was changed")

// confirm asks a question on the terminal. It returns errNotConfirmed unless the answer is yes, and a
// *commandline.UsageError if standard input is not a terminal.
func (c console) confirm(question string) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return commandline.Usagef("standard input is not a terminal, so nobody can confirm; pass -yes")
	}
	fmt.Fprintf(c.stdout, "%s [y/N] ", question)
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return errNotConfirmed
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errNotConfirmed
	}
	return nil
}
