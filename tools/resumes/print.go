package resumes

import (
	"context"
	"os"
	"path/filepath"
)

// printPage prints a page of HTML to a PDF file with a browser or WeasyPrint.
func printPage(ctx context.Context, program string, page []byte, path string) error {
	temporary, err := os.MkdirTemp("", "resumes")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()

	input := filepath.Join(temporary, "resume.html")
	if err := os.WriteFile(input, page, 0o600); err != nil {
		return err
	}
	return runTool(ctx, nil, program, printArguments(program, temporary, input, path)...)
}

// printArguments returns the arguments with which a program makes a PDF of a page of HTML. folder is for files that the
// program needs meanwhile.
func printArguments(program, folder, input, output string) []string {
	if program == "chromium" {
		return []string{
			"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + folder, "--no-pdf-header-footer",
			"--print-to-pdf=" + output, input,
		}
	}
	return []string{input, output}
}
