package config

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
)

// A Secret is the content of a file, such as a password, so that it never appears on a command line or in the
// environment. A nil secret is empty. Methods may be called concurrently.
type Secret struct {
	setting string // the name of the setting that names the file
	file    string
	meaning string // what the file should hold, for errors
	value   atomic.Pointer[string]
}

// NewSecret returns a secret without a file, for tests.
func NewSecret(value string) *Secret {
	s := &Secret{}
	s.value.Store(&value)
	return s
}

// Get returns the secret as it was last read, or "".
func (s *Secret) Get() string {
	if s == nil {
		return ""
	}
	if value := s.value.Load(); value != nil {
		return *value
	}
	return ""
}

// String keeps the secret out of logs and messages.
func (s *Secret) String() string { return "(secret)" }

// Equal reports whether two secrets have the same value.
func (s *Secret) Equal(other *Secret) bool { return s.Get() == other.Get() }

// read reads the file. If it is unusable, the value stays.
func (s *Secret) read() error {
	data, err := os.ReadFile(s.file)
	if err != nil {
		return err
	}
	value := strings.TrimSpace(string(data))
	if value == "" {
		return fmt.Errorf("%s is empty; it should hold %s", s.file, s.meaning)
	}
	s.value.Store(&value)
	return nil
}

// secrets returns all secrets that were read from files.
func (c *Config) secrets() (read []*Secret) {
	for _, s := range []*Secret{
		c.Database.Password, c.Database.Secrets, c.Quota.RedisPassword, c.Embeddings.Key, c.LLM.Key,
		c.Elasticsearch.Password, c.Elasticsearch.APIKey, c.Notices.SMTPPassword, c.Notices.WebhookSecret,
		c.AdminPassword,
	} {
		if s != nil && s.file != "" {
			read = append(read, s)
		}
	}
	return read
}

// SecretFiles returns the names of the files of all secrets.
func (c *Config) SecretFiles() (names []string) {
	for _, s := range c.secrets() {
		names = append(names, s.file)
	}
	return names
}

// ReloadSecrets reads the files of all secrets again. Clients use the new values for their next connection or request.
// Secrets whose file is unusable keep their value; the error names their settings.
func (c *Config) ReloadSecrets() error {
	var errs []error
	for _, s := range c.secrets() {
		if err := s.read(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.setting, err))
		}
	}
	return errors.Join(errs...)
}

// secretFile returns a setter that reads a secret from the named file.
func secretFile(setting, meaning string, target **Secret) func(string) error {
	return func(name string) error {
		s := &Secret{setting: setting, file: name, meaning: meaning}
		if err := s.read(); err != nil {
			return err
		}
		*target = s
		return nil
	}
}
