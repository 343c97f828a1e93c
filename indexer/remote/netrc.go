package remote

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// Logins are credentials by host name. A host never gets the credentials of another one.
type Logins map[string]Login

// Login has the credentials for a host. Without a Name, the Password is a bearer token.
type Login struct{ Name, Password string }

// ReadLogins reads a file in the format of .netrc: "machine HOST login NAME password SECRET", separated by any white
// space. A machine without a login has a bearer token. Errors quote nothing from the file.
func ReadLogins(path string) (Logins, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	logins, err := parseLogins(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return logins, nil
}

func parseLogins(text string) (Logins, error) {
	logins := make(Logins)
	words := strings.Fields(text)
	host := ""

	for i := 0; i < len(words); i += 2 {
		if i+1 == len(words) {
			return nil, errors.New("the last word has no value; want machine HOST login NAME password SECRET")
		}
		login := logins[host]
		switch words[i] {
		case "machine":
			host = strings.ToLower(words[i+1])
			login = Login{}
		case "login":
			login.Name = words[i+1]
		case "password":
			login.Password = words[i+1]
		default:
			return nil, fmt.Errorf("word %d is unknown; want machine HOST login NAME password SECRET", i+1)
		}

		if host == "" {
			return nil, errors.New("the file doesn't begin with a machine; want machine HOST login NAME password SECRET")
		}
		logins[host] = login
	}

	return logins, nil
}

// authorize adds the credentials for the host of a request.
func (l Logins) authorize(r *http.Request) {
	login, ok := l[strings.ToLower(r.URL.Hostname())]
	switch {
	case !ok || login.Password == "":
	case login.Name == "":
		r.Header.Set("Authorization", "Bearer "+login.Password)
	default:
		r.SetBasicAuth(login.Name, login.Password)
	}
}
