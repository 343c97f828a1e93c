package config

import (
	"fmt"
	"strings"
)

// Markdown returns docs/configuration.md: every setting with its flag, environment variable and default.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Configuration

This page lists every setting of the server. A flag overrides its environment variable, which overrides the default.
Each secret is read from a file, so that it never appears on a command line or in the environment. The indexer takes
the settings for the data folder, your own skills, the embeddings API and Elasticsearch; ` + "`indexer load --help`" + `
lists them.

<!-- Generated from internal/config by "make golden"; a test fails when this page is out of date. -->
`)

	c := Default()
	for _, group := range Groups(&c) {
		fmt.Fprintf(&b, "\n## %s\n\n| flag | environment variable | default | meaning |\n|---|---|---|---|\n", group.Title)
		for _, s := range group.Settings {
			// Backquotes mark the placeholder for the flag package, and would become code spans here.
			usage := strings.ReplaceAll(s.Usage, "`", "")
			fmt.Fprintf(&b, "| `-%s` | `%s` | `%s` | %s |\n", s.Flag, s.Variable(), s.Default, usage)
		}
	}

	return b.String()
}
