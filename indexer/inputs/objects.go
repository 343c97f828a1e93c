package inputs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/remote"
	"github.com/freelancer-matching/service/internal/commandline"
)

// isObjectSet reports whether a path is the URL of a folder on S3, or a pattern. A checksum is for a single file.
func isObjectSet(path string) bool {
	isSet := strings.HasSuffix(path, "/") || strings.ContainsAny(path, wildcards)
	return isSet && scheme(path) == "s3" && !strings.Contains(path, remote.ChecksumMark)
}

// An objectSet is a folder on S3, or a pattern.
type objectSet struct {
	folder  string // URL of the folder that has the objects, with a slash at its end
	pattern string // of the names in the folder; empty for all
}

// fits reports whether an object belongs to the set: its name, or the name of a folder that holds it, fits the pattern,
// and no name on the way to it is hidden.
func (s objectSet) fits(object string) bool {
	below, isInside := strings.CutPrefix(object, s.folder)
	parts := strings.Split(below, "/")

	// Stores without folders have empty objects instead, which Hadoop names FOLDER_$folder$ and others FOLDER/.
	last := parts[len(parts)-1]
	isMarker := last == "" || strings.HasSuffix(last, "_$folder$")
	if !isInside || isMarker || slices.ContainsFunc(parts, isHidden) {
		return false
	}
	if s.pattern == "" {
		return true
	}

	depth := strings.Count(s.pattern, "/") + 1
	if len(parts) < depth {
		return false
	}
	isMatch, err := path.Match(s.pattern, strings.Join(parts[:depth], "/"))
	return err == nil && isMatch
}

// expandObjects returns the URLs of the objects in a folder on S3 or of a pattern, sorted.
func (op *opener) expandObjects(ctx context.Context, text string) (files []string, err error) {
	// Only the folders before the first wildcard are certain. The server filters by what precedes the wildcard, too.
	start := text
	if strings.ContainsAny(text, wildcards) {
		start = text[:strings.IndexAny(text, wildcards+`\`)]
	}
	prefix, err := remote.ParsePrefix(start)
	if err != nil {
		return nil, commandline.Usagef("%v", err)
	}

	folder := prefix.String()[:strings.LastIndex(prefix.String(), "/")+1]
	pattern := strings.TrimPrefix(prefix.String(), folder) + strings.TrimPrefix(text, start)
	set := objectSet{folder: folder, pattern: strings.TrimSuffix(pattern, "/")}
	if _, err := path.Match(set.pattern, ""); err != nil {
		return nil, commandline.Usagef("%s is not a valid pattern: %v", text, err)
	}

	client, err := op.remoteClient()
	if err != nil {
		return nil, err
	}
	err = client.List(ctx, prefix, func(object string) error {
		// A pattern that is the name of an object means this object, as with files.
		isName := set.pattern != "" && object == folder+set.pattern
		if isName {
			files = []string{object}
			return fs.SkipAll
		}
		if !set.fits(object) {
			return nil
		}
		files = append(files, object)
		return checkObjects(text, files)
	})
	if err != nil && !errors.Is(err, fs.SkipAll) {
		return nil, err
	}

	if len(files) == 0 {
		return nil, fmt.Errorf("no file fits %s", text)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// checkObjects returns an error unless the objects found so far, the last of which is new, can be a data set.
func checkObjects(text string, files []string) error {
	last := files[len(files)-1]
	switch {
	case len(files) > maxExpanded:
		return commandline.Usagef("%s has more than the limit of %d files; join some of them", text, maxExpanded)
	case isResume(last):
		return commandline.Usagef("%s has resumes, such as %s; copy them to a folder, and name it with -resumes", text,
			path.Base(last))
	case strings.Contains(last, remote.ChecksumMark):
		return fmt.Errorf("%s: a name with %s can't be told from a checksum; rename the object", last, remote.ChecksumMark)
	}

	return nil
}
