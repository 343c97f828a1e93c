// Command matching calls the API from the command line. Package cli has its commands.
package main

import (
	"os"

	"github.com/freelancer-matching/service/matching/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
