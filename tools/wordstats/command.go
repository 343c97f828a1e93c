// Package wordstats computes the statistics from which package realistic generates profiles and briefs, from real ones
// that aren't part of the repository. It keeps counts of words and skills, and no text.
package wordstats

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/taxonomy"
)

const usage = `Usage: wordstats -freelancers FILE [-out FILE] POSTS...

Counts the words and skills of freelancers and job posts, and writes the statistics that internal/synthetic/realistic
generates from. The freelancers are a CSV file in the columns of "indexer generate", with skills separated by |. Job
posts are CSV files with title, description and job_tag. A word that fewer than four texts have isn't written.

  go run ./tools wordstats -freelancers freelancers.csv -out internal/synthetic/realistic/statistics.tsv posts.csv
`

// Run runs the command and returns its exit code.
func Run(_ context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("wordstats", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	freelancers := flags.String("freelancers", "", "CSV `file` of freelancers")
	out := flags.String("out", "", "`file` to write; standard output if it is empty")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *freelancers == "" || flags.NArg() == 0 {
		fmt.Fprint(stderr, usage)
		return 2
	}

	if err := run(*freelancers, *out, flags.Args(), stdout); err != nil {
		fmt.Fprintf(stderr, "wordstats: %v\n", err)
		return 1
	}
	return 0
}

func run(freelancers, out string, posts []string, stdout io.Writer) error {
	texts, err := readTexts(freelancers, posts)
	if err != nil {
		return err
	}

	vectors, err := embedding.Load()
	if err != nil {
		return err
	}
	skills, err := taxonomy.Load()
	if err != nil {
		return err
	}

	var b strings.Builder
	if err := fit(texts, vectors, skills).Write(&b); err != nil {
		return err
	}
	if out == "" {
		_, err := io.WriteString(stdout, b.String())
		return err
	}
	return os.WriteFile(out, []byte(b.String()), 0o644) //nolint:gosec // a file of the source tree
}

func readTexts(freelancers string, posts []string) (texts []text, err error) {
	err = eachRow(freelancers, func(row map[string]string) {
		texts = append(texts, text{
			title:   row["job_title"],
			names:   words(row["name"]),
			skills:  strings.Split(row["skills"], "|"),
			words:   words(row["description"]),
			signals: [3]bool{row["experience"] != "", row["rating"] != "", row["hourly_rate"] != ""},
		})
	})
	if err != nil {
		return nil, err
	}

	seen := map[string]bool{} // posts are listed on several days
	for _, path := range posts {
		err := eachRow(path, func(row map[string]string) {
			if seen[row["description"]] {
				return
			}
			seen[row["description"]] = true

			var tags []string
			for _, tag := range quoted.FindAllStringSubmatch(row["job_tag"], -1) {
				tags = append(tags, tag[1])
			}
			texts = append(texts, text{
				isBrief: true, skills: tags, words: words(row["title"] + " " + row["description"]),
			})
		})
		if err != nil {
			return nil, err
		}
	}

	return texts, nil
}

var quoted = regexp.MustCompile(`['"]([^'"]+)['"]`)

// words returns the words of a text in lower case.
func words(text string) []string { return strings.FieldsFunc(strings.ToLower(text), isSeparator) }

func isSeparator(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+#", r)
}

func eachRow(path string, yield func(row map[string]string)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()

	rows := csv.NewReader(f)
	rows.FieldsPerRecord = -1
	header, err := rows.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}

	for {
		record, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}

		row := make(map[string]string, len(header))
		for i, name := range header {
			if i < len(record) {
				row[strings.TrimPrefix(name, "\ufeff")] = record[i]
			}
		}
		yield(row)
	}
}
