// Command indexer loads freelancers from files into the search engine and manages the indexes it has built. Package cli
// has its commands.
package main

import (
	"os"

	"github.com/freelancer-matching/service/indexer/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
