package query

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	t.Setenv("PGPASSWORD", "")
	for address, want := range map[string]string{
		"postgres://me:s3cret@db.example:5433/people?sslmode=require": "postgres://db.example:5433/people",
		"postgresql:///people?host=/run/postgresql&user=me":           "postgres:///people?host=/run/postgresql",
	} {
		if d, err := ParseURL(address); err != nil || d.String() != want {
			t.Errorf("%s: %v, %v, want %s", address, d, err, want)
		}
	}
	for _, address := range []string{
		"postgres://me:s3cret@db:port/people", "postgres://db/people?password=s3cret", "postgres://me:s3cret@db/?sslmode=s",
	} {
		if d, err := ParseURL(address); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, %v, want an error without the password", address, d, err)
		}
	}
}

// An error of a connection names the database and not the password.
func TestRead_NoServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := ParseURL("postgres://me:s3cret@" + address + "/people")
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Read(t.Context(), Statement{Table: "people"}, new(bytes.Buffer))
	if err == nil || !strings.HasPrefix(err.Error(), "postgres://"+address+"/people: ") ||
		strings.Contains(err.Error(), "s3cret") {
		t.Errorf("error %v", err)
	}
}
