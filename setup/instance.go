package setup

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/freelancer-matching/service/instances"
	"github.com/freelancer-matching/service/internal/config"
)

// instanceFile is the file in the data folder with a random text. It distinguishes servers on machines that have the
// same name.
const instanceFile = "server-id"

// Instance describes the server with these settings, for the list of running servers. Its ID is made of the machine's
// name, the path of the data folder and a file in it: so it stays the same after a restart, and a copied data folder
// makes another server.
func (x *Index) Instance() (instances.Instance, error) {
	i, err := instance(x.config, x.EngineName())
	if err != nil {
		return i, fmt.Errorf("identify this server: %w", err)
	}
	return i, nil
}

func instance(c config.Config, engine string) (i instances.Instance, err error) {
	i.Engine = engine
	if i.Host, err = os.Hostname(); err != nil {
		return i, err
	}
	if i.Folder, err = filepath.Abs(c.Data); err != nil {
		return i, err
	}
	random, err := instanceText(filepath.Join(c.Data, instanceFile))
	if err != nil {
		return i, err
	}

	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", random, i.Host, i.Folder))
	i.ID = "srv_" + hex.EncodeToString(sum[:6])

	return i, nil
}

// instanceText returns the content of a file, which it creates with a random text if it doesn't exist.
func instanceText(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return string(content), err
	}

	// A link appears with its whole content, so another process that starts now reads no half of it.
	text := rand.Text()
	temporary := path + "." + text
	if err := os.WriteFile(temporary, []byte(text+"\n"), 0o600); err != nil {
		return "", err
	}
	err = os.Link(temporary, path)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err := errors.Join(err, os.Remove(temporary)); err != nil {
		return "", err
	}

	content, err = os.ReadFile(path)
	return string(content), err
}

// SeveralServers returns the problem that several servers share a database, but not their index.
func SeveralServers(indexes int) Problem {
	return Problem{
		fmt.Sprintf("%d servers with indexes of their own share the database, and a change over HTTP would reach only one",
			indexes),
		"let all servers use Elasticsearch (-elasticsearch-url), or run one server, if clients change freelancers; " +
			"erasures and loads work as before",
	}
}
