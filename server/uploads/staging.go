package uploads

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"unicode"

	"github.com/freelancer-matching/service/indexer/atomicfile"
	"github.com/freelancer-matching/service/internal/matching"
)

// The files of an upload, in a folder with its ID as the name.
const (
	contentFile     = "content"
	descriptionFile = "upload.json"
)

// A staging is the folder with a folder for each upload. Only the owner may read it, because it has whole records of
// people.
type staging string

func (d staging) folder(id string) string { return filepath.Join(string(d), id) }

// content returns the path of the file of an upload.
func (d staging) content(id string) string { return filepath.Join(d.folder(id), contentFile) }

// create stores a new upload and returns the size of its file. After a failure, nothing of it stays.
func (d staging) create(u *Upload, body io.Reader, limit int64) (size int64, err error) {
	if err := os.MkdirAll(d.folder(u.ID), 0o700); err != nil {
		return 0, storageError(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.remove(u.ID))
		}
	}()

	file, err := os.OpenFile(d.content(u.ID), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, storageError(err)
	}
	size, err = io.Copy(file, io.LimitReader(body, limit+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, storageError(err)
	}
	if size > limit {
		return 0, ErrTooLarge
	}

	u.Bytes = size
	return size, d.describe(u)
}

// describe stores everything about an upload but its file.
func (d staging) describe(u *Upload) error {
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	return storageError(atomicfile.Replace(filepath.Join(d.folder(u.ID), descriptionFile), 0o600,
		func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}))
}

func (d staging) remove(id string) error { return os.RemoveAll(d.folder(id)) }

// removeContent removes the file of an upload, but not what is known about it.
func (d staging) removeContent(id string) error {
	if err := os.Remove(d.content(id)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// open returns the uploads in the folder, which it creates if it is missing. It removes what a killed server left, such
// as files that never arrived completely, and damaged descriptions.
func (d staging) open(log *slog.Logger) (found []Upload, err error) {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return nil, err
	}
	folders, err := os.ReadDir(string(d))
	if err != nil {
		return nil, err
	}

	for _, folder := range folders {
		u, err := d.read(folder.Name())
		if err != nil {
			log.Warn("incomplete upload removed; its file must be sent again", "load", folder.Name(), "error", err)
			if err := d.remove(folder.Name()); err != nil {
				return nil, err
			}
			continue
		}
		found = append(found, u)
	}

	return found, nil
}

// read returns a stored upload.
func (d staging) read(id string) (u Upload, err error) {
	text, err := os.ReadFile(filepath.Join(d.folder(id), descriptionFile))
	if err == nil {
		err = json.Unmarshal(text, &u)
	}
	if err == nil && u.ID != id {
		err = fmt.Errorf("the description is about the upload %q", u.ID)
	}
	if err == nil && u.State.HasFile() {
		_, err = os.Stat(d.content(id))
	}
	return u, err
}

// storageError gives the error of a full disk the code that clients know. It returns others unchanged.
func storageError(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return &matching.Error{
			Code:    matching.CodeStorageFull,
			Message: "The server's disk is full, so the file could not be stored. Tell the operator of this service.",
			Cause:   err,
		}
	}
	return err
}

// printable replaces control characters, which would reorder or break the text around a name.
func printable(r rune) rune {
	if unicode.IsGraphic(r) && !unicode.In(r, unicode.Bidi_Control) {
		return r
	}
	return -1
}
