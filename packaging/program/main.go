// Command freelancer-matching is server, indexer and matching in one file, for images and packages: the three share
// most of their code. Links with the names of the programs lead to it.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	indexer "github.com/freelancer-matching/service/indexer/cli"
	"github.com/freelancer-matching/service/internal/buildinfo"
	matching "github.com/freelancer-matching/service/matching/cli"
	server "github.com/freelancer-matching/service/server/cli"
)

const help = `Usage: freelancer-matching PROGRAM [arguments]

Programs:
  server     serves the REST API and the dashboard, and manages keys, accounts and users
  indexer    loads freelancers from files into the search engine and manages its indexes
  matching   calls the API from the command line

A link to this file with the name of a program, such as server or matching-server, runs that program.
Run "freelancer-matching PROGRAM -h" for the usage of a program.
`

func main() {
	os.Exit(run(os.Args, os.Stdout, os.Stderr))
}

// run runs the program that args name and returns its exit code. args begins with the name of the file.
func run(args []string, stdout, stderr io.Writer) int {
	program, rest := choose(args)
	switch program {
	case "server":
		return server.Main(rest)
	case "indexer":
		return indexer.Main(rest)
	case "matching":
		return matching.Main(rest)
	case "help", "-h", "--h", "-help", "--help":
		fmt.Fprint(stdout, help)
		return 0
	case "version", "-version", "--version":
		fmt.Fprintln(stdout, "freelancer-matching", buildinfo.Read())
		return 0
	case "":
		fmt.Fprint(stderr, help)
		return 2
	}

	fmt.Fprintf(stderr, "freelancer-matching: unknown program %q; the programs are server, indexer and matching\n",
		program)
	return 2
}

// choose returns the program to run and its arguments: the one whose name the file has, or else the one that the first
// argument names. It returns no program if there is neither.
func choose(args []string) (program string, rest []string) {
	if len(args) == 0 {
		return "", nil
	}

	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	switch name = strings.TrimPrefix(name, "matching-"); name {
	case "server", "indexer", "matching":
		return name, args[1:]
	}

	if len(args) == 1 {
		return "", nil
	}
	return args[1], args[2:]
}
