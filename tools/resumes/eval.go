package resumes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/realdata"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/taxonomy"
)

// evaluate parses the generated files and, where they are present, the real ones, and prints how well it went.
func evaluate(ctx context.Context, folder string, stdout io.Writer) error {
	t, err := taxonomy.Load()
	if err != nil {
		return err
	}

	sets, err := sampleSets(folder, t)
	if err != nil {
		return err
	}

	p, err := openProduct(ctx, t)
	if err != nil {
		return err
	}
	defer func() { _ = p.close() }()

	for _, set := range sets {
		verdicts, err := p.judgeAll(ctx, set.samples)
		if err != nil {
			return err
		}
		writeReport(stdout, set.title, verdicts)
		writeTimes(stdout, verdicts)
		fmt.Fprintln(stdout)
	}

	// The real resumes belong to people and are not in the repository.
	if len(sets) == 1 {
		fmt.Fprintf(stdout, "The real resumes are missing: set %s to the folder of the data sets.\n", realdata.Variable)
	}

	return nil
}

// printText prints the lines that the parser reads in a file.
func printText(ctx context.Context, path string, stdout io.Writer) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}

	t, err := taxonomy.Load()
	if err != nil {
		return err
	}

	p, err := openProduct(ctx, t)
	if err != nil {
		return err
	}
	defer func() { _ = p.close() }()

	document, _, err := p.parse(ctx, file)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}

	// All parts have four letters, so that the columns line up.
	parts := map[resume.Part]string{
		resume.Body: "body", resume.Sidebar: "side", resume.Header: "head", resume.Footer: "foot",
	}
	for _, line := range document.Lines {
		marks := ""
		for _, m := range []struct {
			set  bool
			mark string
		}{{line.Heading > 0, "#"}, {line.Bold, "b"}, {line.Bullet, "*"}} {
			if m.set {
				marks += m.mark
			}
		}

		text := strings.ReplaceAll(line.Text, "\t", " → ")
		fmt.Fprintf(stdout, "%d %s %4.1f +%.1f %-3s %s\n", line.Page, parts[line.Part], line.Size, line.Gap, marks, text)
	}

	fmt.Fprintln(stdout, document.Warnings)
	return nil
}

// A sampleSet is a set of files that the report treats separately.
type sampleSet struct {
	title   string
	samples []sample
}

// sampleSets returns the generated files, and the real ones where they are present.
func sampleSets(folder string, t *taxonomy.Taxonomy) ([]sampleSet, error) {
	samples, err := fixtureSamples(folder, t)
	if err != nil {
		return nil, err
	}

	sets := []sampleSet{{"generated", samples}}

	if path, ok := realdata.Find("resumes", "templates"); ok {
		samples, err := templateSamples(path, t)
		if err != nil {
			return nil, err
		}
		sets = append(sets, sampleSet{"real templates", samples})
	}

	if path, ok := realdata.Find("resumes", "livecareer"); ok {
		samples, err := anonymousSamples(path)
		if err != nil {
			return nil, err
		}
		sets = append(sets, sampleSet{"real, from a site that removes names and email addresses, all but a few", samples})
	}

	return sets, nil
}

// judgeAll parses every file twice and measures the time of the second run. A file that cannot be read misses
// everything.
func (p *product) judgeAll(ctx context.Context, samples []sample) ([]verdict, error) {
	verdicts := make([]verdict, 0, len(samples))
	for _, s := range samples {
		file, err := os.ReadFile(s.path)
		if err != nil {
			return nil, err
		}

		document, r, err := p.parse(ctx, file)

		if ctx.Err() != nil {
			return nil, ctx.Err()
		}

		if err != nil {
			verdicts = append(verdicts, failed(s, err))
			continue
		}

		v := judge(s, document, r)

		// The first run warms up the PDF engine and the caches, so the second one is measured.
		start := time.Now()

		if _, _, err := p.parse(ctx, file); err != nil {
			return nil, fmt.Errorf("read %s a second time: %w", filepath.Base(s.path), errors.Join(err, ctx.Err()))
		}

		v.took = time.Since(start)
		verdicts = append(verdicts, v)
	}

	return verdicts, nil
}
