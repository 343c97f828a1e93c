package main

import (
	"fmt"
	"io/fs"

	"github.com/freelancer-matching/service/internal/dictionary"
)

// buildDictionary returns the data file of the curated dictionary.
func buildDictionary(curated fs.FS) ([]byte, error) {
	const path = "dictionary.words"
	source, err := curated.Open(path)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	file, err := dictionary.Encode(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}
