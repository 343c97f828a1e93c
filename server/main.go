// Command server serves the REST API and the dashboard. Package cli has its commands.
package main

import (
	"os"

	"github.com/freelancer-matching/service/server/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
