package inputs

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/query"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/commandline"
)

const datasetHelp = `
A folder, or a pattern such as "people/*.parquet" in quotes, names all files of one data set, in the order of their
names. On S3, these are s3://BUCKET/FOLDER/ with a slash at its end, and "s3://BUCKET/FOLDER/*.parquet". Parts of paths
such as country=PT become columns, which is how Spark and Hive write partitions. Files and folders whose names begin
with a point or an underscore are left out.
`

// maxExpanded is the number of files that folders and patterns may name. Each file is open while a load reads.
const maxExpanded = 1000

// wildcards are the characters that make a path a pattern.
const wildcards = "*?["

// Expand returns the paths of a command line with the files in folders and of patterns in their place. It asks S3 for
// those in a bucket.
func (o *Options) Expand(ctx context.Context, paths []string, program Program) ([]string, error) {
	op := &opener{Program: program, Options: o}
	var expanded []string
	for _, path := range paths {
		files, err := op.expandOne(ctx, path)
		if err != nil {
			return nil, err
		}
		expanded = append(expanded, files...)
	}

	if len(expanded) > max(len(paths), maxExpanded) {
		return nil, commandline.Usagef("%d files, more than the limit of %d; join some of them", len(expanded), maxExpanded)
	}
	return expanded, nil
}

// expandOne returns the files that a path stands for, sorted.
func (op *opener) expandOne(ctx context.Context, path string) ([]string, error) {
	if isObjectSet(path) {
		found, err := op.expandObjects(ctx, path)
		op.addPartitions(found)
		return found, err
	}

	isElsewhere := path == "-" || scheme(path) != "" || query.IsSQLite(path)
	if isElsewhere {
		return []string{path}, nil
	}

	info, err := os.Stat(path)
	isPattern := err != nil && strings.ContainsAny(path, wildcards)
	switch {
	case isPattern:
		found, err := filepath.Glob(path)
		if err != nil {
			return nil, commandline.Usagef("%s is not a valid pattern: %v", path, err)
		}
		found = slices.DeleteFunc(found, func(file string) bool {
			return isHidden(filepath.Base(file)) || isInHidden(file, path)
		})
		if len(found) == 0 {
			return nil, fmt.Errorf("no file fits %s", path)
		}
		return op.partitioned(found)

	case err == nil && info.IsDir():
		found, err := filesIn(path)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("the folder %s has no files", path)
		}
		if i := slices.IndexFunc(found, isResume); i >= 0 {
			return nil, commandline.Usagef("%s is a folder with resumes, such as %s; name it with -resumes", path,
				filepath.Base(found[i]))
		}
		return op.partitioned(found)

	default:
		return []string{path}, nil // opening it reports an error
	}
}

// isHidden reports whether the name of a file or folder says that it has no data, such as _SUCCESS.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// isInHidden reports whether a file that a pattern fits is in a hidden folder that the pattern doesn't name, such as
// the _temporary of an unfinished job for "*/part.csv".
func isInHidden(file, pattern string) bool {
	separator := string(filepath.Separator)
	found := strings.Split(filepath.Clean(file), separator)
	wanted := strings.Split(filepath.Clean(pattern), separator)

	// The beginning of the pattern may be written in another way.
	for i := 1; i <= min(len(found), len(wanted)); i++ {
		folder, part := found[len(found)-i], wanted[len(wanted)-i]
		isNamed := isHidden(part) || !strings.ContainsAny(part, wildcards)
		if isHidden(folder) && !isNamed {
			return true
		}
	}
	return false
}

// isResume reports whether a file has the name of a document.
func isResume(file string) bool {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".pdf", ".docx", ".doc", ".odt", ".rtf":
		return true
	}
	return false
}

// filesIn returns the files in a folder and its folders.
func filesIn(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == folder:
			return nil
		case isHidden(entry.Name()) && entry.IsDir():
			return fs.SkipDir
		case entry.Type().IsRegular() && !isHidden(entry.Name()):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// partitioned records the partitions of files that a folder or a pattern names, and returns the files, with those in
// the folders that a pattern fits.
func (o *Options) partitioned(found []string) (files []string, err error) {
	for _, file := range found {
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, file)
			continue
		}
		inside, err := filesIn(file)
		if err != nil {
			return nil, err
		}
		files = append(files, inside...)
	}

	o.addPartitions(files)
	return files, nil
}

// addPartitions records the partitions of files.
func (o *Options) addPartitions(files []string) {
	for _, file := range files {
		if partition := source.PartitionOf(file); len(partition) > 0 {
			if o.partitions == nil {
				o.partitions = make(map[string][]source.Constant)
			}
			o.partitions[file] = partition
		}
	}
}
