package inputs

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/query"
	"github.com/freelancer-matching/service/indexer/remote"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/spool"
	"github.com/freelancer-matching/service/internal/commandline"
)

// remoteOptions are the flags for inputs other than files.
type remoteOptions struct {
	maxDownload int64  // bytes of standard input, a pipe or a download
	checksum    string // SHA-256 of the only input, in hexadecimal; empty if unknown
	netrc       string // file with credentials by host
	statement   query.Statement
}

// bindRemote defines the flags for inputs other than files.
func (o *Options) bindRemote(flags *flag.FlagSet) {
	r := &o.remote
	o.bindQuery(flags)
	flags.Func("checksum", "load the file only if it has this checksum, as `sha256:HEX`; for several downloads, end "+
		"each URL with #sha256=HEX",
		func(text string) error {
			sum, ok := strings.CutPrefix(text, "sha256:")
			decoded, err := hex.DecodeString(sum)
			isSum := err == nil && len(decoded) == sha256.Size
			if !ok || !isSum {
				return errors.New("want sha256: and 64 hexadecimal digits")
			}
			r.checksum = strings.ToLower(sum)
			return nil
		})

	flags.StringVar(&r.netrc, "netrc", "",
		"`file` with credentials for https:// by host, in the format of .netrc")
}

// bindQuery defines the flags that say what to read from a database.
func (o *Options) bindQuery(flags *flag.FlagSet) {
	r := &o.remote
	r.maxDownload = 4 << 30
	flags.Func("max-download", "largest download, query result, standard input or pipe, as a `size` such as 500MB "+
		"(default "+humanize.IBytes(uint64(r.maxDownload))+")",
		func(text string) error {
			size, err := humanize.ParseBytes(text)
			isSize := err == nil && size > 0
			if !isSize || size > math.MaxInt64 {
				return errors.New("want a size, such as 500MB or 4GiB")
			}
			r.maxDownload = int64(size)
			return nil
		})

	flags.StringVar(&r.statement.SQL, "query", "", "`SQL` query to load from a database")
	flags.StringVar(&r.statement.Table, "table", "",
		"`name` of the table or view to load from a database (default for SQLite: the only table)")
}

// urlScheme matches the scheme of a URL.
var urlScheme = regexp.MustCompile(`(?i)^([a-z][a-z0-9+.-]*)://`)

// CheckRemote checks the options that depend on the inputs.
func (o *Options) CheckRemote(paths []string) error {
	r := &o.remote
	hasStatement := r.statement != query.Statement{}
	isDatabase := func(path string) bool { return isPostgres(path) || query.IsSQLite(path) }
	switch {
	case r.checksum != "" && len(paths) != 1:
		return commandline.Usagef("-checksum is for one file; end URLs with #sha256=HEX instead")
	case r.checksum != "" && isPostgres(paths[0]):
		return commandline.Usagef("-checksum is for files, not for PostgreSQL")
	case r.statement.SQL != "" && r.statement.Table != "":
		return commandline.Usagef("-query and -table exclude each other")
	case hasStatement && !slices.ContainsFunc(paths, isDatabase):
		return commandline.Usagef("-query and -table are for postgres:// URLs and SQLite files, and no input is one")
	case !hasStatement && slices.ContainsFunc(paths, isPostgres):
		return commandline.Usagef("a postgres:// URL needs -query, such as -query \"SELECT * FROM freelancers\", or -table")
	}
	return nil
}

// scheme returns the scheme of a URL in lower case, or "" for a path.
func scheme(path string) string {
	if match := urlScheme.FindStringSubmatch(path); match != nil {
		return strings.ToLower(match[1])
	}
	return ""
}

func isPostgres(path string) bool { return scheme(path) == "postgres" || scheme(path) == "postgresql" }

// DisplayName returns the name of an input for messages, without the secrets of a URL.
func DisplayName(path string) string {
	switch {
	case path == "-":
		return "standard input"
	case scheme(path) == "":
		return path
	case isPostgres(path):
		if d, err := query.ParseURL(path); err == nil {
			return d.String()
		}
	default:
		if a, err := remote.ParseAddress(path); err == nil {
			return a.String()
		}
	}
	return scheme(path) + "://…"
}

// namesOf returns the names by which flags can refer to an input, the shortest first.
func namesOf(path string) []string {
	name, _, _ := strings.Cut(DisplayName(path), "?")
	return []string{filepath.Base(name), DisplayName(path), path}
}

// A fetchedInput is an input that can be read more than once.
type fetchedInput struct {
	source.Input
	path    string   // as in the arguments
	notes   []string // what was left out
	version remote.Version
	// unchanged is set if a server still has the known version, which was not downloaded again.
	unchanged bool
}

// fetchAll makes all inputs available. It returns errUnchanged if the options name the files of an earlier load and all
// of them are still the same. Otherwise the error covers all inputs that are not in the result.
func (op *opener) fetchAll(ctx context.Context, paths []string) ([]fetchedInput, error) {
	all := make([]fetchedInput, len(paths))
	errs := make([]error, len(paths))
	same := len(op.Known) > 0
	for i, path := range paths {
		// After the first difference every file is needed, so no other server is asked whether its file has changed.
		var known engine.SourceFile
		if same {
			known = op.Known[i]
		}
		all[i], errs[i] = op.fetch(ctx, path, known)
		if errs[i] == nil && same {
			same, errs[i] = isSame(&all[i], known)
		}
	}

	if same && errors.Join(errs...) == nil {
		return nil, ErrUnchanged
	}

	var available []fetchedInput
	for i, f := range all {
		// Another file has changed, so the load needs all of them, also those that a server didn't send again.
		if errs[i] == nil && f.unchanged {
			f, errs[i] = op.fetch(ctx, f.path, engine.SourceFile{})
		}
		if errs[i] == nil {
			available = append(available, f)
		}
	}

	return available, errors.Join(errs...)
}

// fetch makes an input available, and reads the messages in a file of changes.
func (op *opener) fetch(ctx context.Context, path string, known engine.SourceFile) (f fetchedInput, err error) {
	if f, err = op.fetchContent(ctx, path, known); err != nil || f.unchanged {
		return f, err
	}
	return f, op.foldChanges(ctx, &f)
}

// fetchContent makes the content of an input available. It downloads files from elsewhere, runs queries, and spools
// standard input, pipes, and files whose size is unknown, such as those in /proc.
func (op *opener) fetchContent(
	ctx context.Context, path string, known engine.SourceFile,
) (f fetchedInput, err error) {
	f.path = path
	switch {
	case path == "-":
		f.Input, err = op.spool("standard input", interruptible(ctx, op.Stdin))
	// postgres:// is a scheme, too, but not one to download from.
	case isPostgres(path):
		database, err := query.ParseURL(path)
		if err != nil {
			return f, commandline.Usagef("%v", err)
		}
		f.Input = source.Input{Name: database.String(), Format: "postgresql"}
		return f, op.runQuery(&f, func(w io.Writer) (*query.Result, error) {
			return database.Read(ctx, op.remote.statement, w)
		})

	case scheme(path) != "":
		err = op.download(ctx, known, &f)
	case query.IsSQLite(path):
		// The checksum belongs to the file, not to the rows.
		if err := op.verifyFile(path); err != nil {
			return f, err
		}
		f.Input = source.Input{Name: path, Format: "sqlite"}
		return f, op.runQuery(&f, func(w io.Writer) (*query.Result, error) {
			return query.ReadSQLite(ctx, path, op.remote.statement, w)
		})

	default:
		f.Input, err = op.openPath(ctx, path)
	}

	return f, err
}

// openPath returns a file, or a copy of a pipe.
func (op *opener) openPath(ctx context.Context, path string) (source.Input, error) {
	info, err := os.Stat(path)

	// Opening a path reports why it can't be read. Files such as those in /proc are regular and have no size, so they are
	// copied like pipes.
	isFile := err == nil && info.Mode().IsRegular() && info.Size() > 0
	isPlain := isFile || err == nil && info.IsDir()
	if err != nil || isPlain {
		return input.FromPath(path), op.verifyFile(path)
	}
	pipe, err := os.Open(path)
	if err != nil {
		return source.Input{}, err
	}
	defer pipe.Close()
	return op.spool(path, interruptible(ctx, pipe))
}

// verifyFile returns an error if the options have a checksum and the file at a path has another one.
func (o *Options) verifyFile(path string) error {
	if o.remote.checksum == "" {
		return nil
	}
	sum, err := Checksum(input.FromPath(path))
	if err != nil {
		return err
	}
	return o.verify(path, sum)
}

// verify returns an error if the options have a checksum other than sum.
func (o *Options) verify(name, sum string) error {
	if want := o.remote.checksum; want != "" && sum != want {
		return fmt.Errorf("%s: the SHA-256 checksum is %s, want %s; nothing was loaded", name, sum, want)
	}
	return nil
}

// Checksum returns the SHA-256 checksum of an input, in hexadecimal.
func Checksum(from source.Input) (string, error) {
	content, err := from.Open()
	if err != nil {
		return "", err
	}
	defer content.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, content); err != nil {
		return "", fmt.Errorf("%s: %w", from.Name, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// spool returns a copy of what it reads.
func (op *opener) spool(name string, from io.Reader) (source.Input, error) {
	s, err := spool.New(op.remote.maxDownload)
	if err != nil {
		return source.Input{}, err
	}

	// Open closes the copy after a failure, too.
	op.in.spools = append(op.in.spools, s)
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(s, hash), from); err != nil {
		return source.Input{}, fmt.Errorf("copy %s to a temporary file: %w", name, err)
	}
	return input.FromReaderAt(name, s, s.Size()), op.verify(name, hex.EncodeToString(hash.Sum(nil)))
}

// readerFunc implements io.Reader.
type readerFunc func(p []byte) (n int, err error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (n int, err error) { return f(p) }

// interruptible returns a reader that fails when the context ends, even while from waits for a sender that sends
// nothing. Nothing else may read from.
func interruptible(ctx context.Context, from io.Reader) io.Reader {
	type result struct {
		content []byte
		err     error
	}

	results := make(chan result, 1) // so that a read that nobody waits for can end
	var buffer []byte
	return readerFunc(func(p []byte) (int, error) {
		// A read that nobody waits for still writes when its data arrives, so it must not have the caller's buffer.
		if len(buffer) != len(p) {
			buffer = make([]byte, len(p))
		}

		go func() {
			n, err := from.Read(buffer)
			results <- result{buffer[:n], err}
		}()

		select {
		case r := <-results:
			return copy(p, r.content), r.err
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	})
}

// runQuery spools the rows that read writes.
func (op *opener) runQuery(
	f *fetchedInput, read func(io.Writer) (*query.Result, error),
) error {
	// A load may read the rows twice. A copy needs neither a snapshot nor a connection that stays open in between.
	s, err := spool.New(op.remote.maxDownload)
	if err != nil {
		return err
	}
	op.in.spools = append(op.in.spools, s)
	display := op.NewDisplay()
	defer display.End()

	w := bufio.NewWriterSize(progressWriter{s, func() {
		display.Show(bulk.Progress{Stage: bulk.Downloading, Bytes: s.Size()})
	}}, 256<<10)
	result, err := read(w)
	if err == nil {
		err = w.Flush()
	}

	if err != nil {
		return err
	}
	f.Open = input.FromReaderAt(f.Name, s, s.Size()).Open
	f.notes = result.Notes

	return nil
}

// progressWriter calls report after each write.
type progressWriter struct {
	io.Writer
	report func()
}

// Write implements io.Writer.
func (w progressWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.report()
	return n, err
}

// download downloads a file. If the server still has the known version, it sets f.unchanged instead.
func (op *opener) download(
	ctx context.Context, known engine.SourceFile, f *fetchedInput,
) error {
	switch s := scheme(f.path); s {
	case "https", "http", "s3":
	default:
		return commandline.Usagef("%s:// is not supported; use a file, https://, s3:// or postgres://", s)
	}

	address, err := remote.ParseAddress(f.path)
	if err == nil && op.remote.checksum != "" {
		err = address.SetChecksum(op.remote.checksum)
	}

	if err != nil {
		return commandline.Usagef("%v", err)
	}
	client, err := op.remoteClient()
	if err != nil {
		return err
	}

	display := op.NewDisplay()
	defer display.End()

	client.Progress = func(done, size int64) {
		display.Show(bulk.Progress{Stage: bulk.Downloading, Bytes: done, Size: size})
	}

	// Reports, logs and the index have the name. It lacks passwords and the values of a query string.
	f.Name = address.String()
	file, err := client.Download(ctx, address, address.Known(remote.Version{
		ETag: known.ETag, LastModified: known.LastModified,
	}, known.SHA256))
	if errors.Is(err, remote.ErrNotModified) {
		f.unchanged = true
		return nil
	}

	if err != nil {
		return err
	}
	op.in.spools = append(op.in.spools, file.Spool)
	f.Input = input.FromReaderAt(f.Name, file, file.Size())
	f.version = file.Version

	return nil
}

// remoteClient returns a client with the credentials of the options and the environment.
func (op *opener) remoteClient() (*remote.Client, error) {
	client := &remote.Client{
		Transport: op.transport, Environment: op.LookupEnv, Limit: op.remote.maxDownload, Log: op.Log, Now: op.Now,
	}
	netrc := op.remote.netrc
	if path, ok := op.LookupEnv("MATCHING_NETRC"); ok && netrc == "" {
		netrc = path
	}
	if netrc == "" {
		return client, nil
	}
	var err error
	client.Logins, err = remote.ReadLogins(netrc)
	if err != nil {
		return nil, fmt.Errorf("read the credentials for downloads: %w", err)
	}
	return client, nil
}

// ErrUnchanged is returned if the live index was loaded from the same files with the same options.
var ErrUnchanged = errors.New("the files have not changed")

// isSame reports whether an input has the content of a known file.
func isSame(f *fetchedInput, known engine.SourceFile) (bool, error) {
	if f.unchanged {
		return true, nil
	}
	sum, err := Checksum(f.Input)
	return err == nil && sum == known.SHA256, err
}
