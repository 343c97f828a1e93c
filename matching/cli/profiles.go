package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/atomicfile"
	"github.com/freelancer-matching/service/internal/commandline"
)

const (
	variableKey     = "MATCHING_API_KEY"
	variableURL     = "MATCHING_URL"
	variableProfile = "MATCHING_PROFILE"
	variableConfig  = "MATCHING_CONFIG"
	defaultURL      = "http://127.0.0.1:8080"
)

// A server is an address and a key for it. They always come from one place, so that no key is sent to a server that it
// doesn't belong to.
type server struct {
	URL string `json:"url"`
	Key string `json:"key"`
}

// A config is the file of profiles.
type config struct {
	Current  string            `json:"current"`
	Profiles map[string]server `json:"profiles"`
}

// configPath returns the path of the file of profiles.
func (c *cli) configPath() (string, error) {
	if path, _ := c.environment(variableConfig); path != "" {
		return path, nil
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the folder of profiles; set %s to a file: %w", variableConfig, err)
	}
	return filepath.Join(folder, "freelancer-matching", "profiles.json"), nil
}

// readConfig reads the profiles. Without a file there are none.
func (c *cli) readConfig() (config, error) {
	empty := config{Profiles: map[string]server{}}
	path, err := c.configPath()
	if err != nil {
		return empty, err
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, fmt.Errorf("read the profiles: %w", err)
	}

	// Somebody else who can read the file has the keys in it.
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		fmt.Fprintf(c.stderr, "Warning: other users can read the keys in %s; run chmod 600 on it.\n", path)
	}

	read := empty
	if err := json.Unmarshal(content, &read); err != nil {
		return empty, fmt.Errorf("decode the profiles in %s: %w", path, err)
	}
	return read, nil
}

// writeConfig replaces the profiles. Nobody else can read the file.
func (c *cli) writeConfig(profiles config) error {
	path, err := c.configPath()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the folder of profiles: %w", err)
	}
	return atomicfile.Replace(path, 0o600, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(profiles)
	})
}

// api returns the API that the flags, the environment or the profiles name, in this order.
func (c *cli) api() (*api, error) {
	chosen, err := c.server()
	if err != nil {
		return nil, err
	}
	origin, ok := serverOrigin(chosen.URL)
	if !ok {
		return nil, commandline.Usagef("the address must be a server's, such as https://match.example.com; got %q",
			chosen.URL)
	}
	chosen.URL = origin
	return newAPI(chosen), nil
}

func (c *cli) server() (server, error) {
	address := c.options.url
	if address == "" {
		address, _ = c.environment(variableURL)
	}

	// A profile that is named on the command line is what the user means now.
	key, _ := c.environment(variableKey)
	if key != "" && c.options.profile == "" {
		if address == "" {
			address = defaultURL
		}
		return server{address, key}, nil
	}

	profiles, err := c.readConfig()
	if err != nil {
		return server{}, err
	}
	name := c.profileName(profiles)
	if name == "" {
		return server{}, commandline.Usagef("no API key: set %s, or store one with \"matching profiles set NAME -url URL\"",
			variableKey)
	}
	found, ok := profiles.Profiles[name]
	if !ok {
		return server{}, unknownProfile(profiles, name)
	}

	// A key must not go to a server that somebody else has named.
	if address != "" && strings.TrimRight(address, "/") != found.URL {
		return server{}, commandline.Usagef("the key of profile %s belongs to %s, not to %s; set %s for another server", name,
			found.URL, address, variableKey)
	}
	return found, nil
}

// profileName returns the name of the profile to use, or "".
func (c *cli) profileName(profiles config) string {
	if c.options.profile != "" {
		return c.options.profile
	}
	if name, _ := c.environment(variableProfile); name != "" {
		return name
	}
	return profiles.Current
}

func unknownProfile(profiles config, name string) error {
	names := slices.Sorted(maps.Keys(profiles.Profiles))
	return commandline.Usagef("there is no profile %q%s", name, commandline.DidYouMean(name, "", names))
}

func (c *cli) profilesCommand() *command {
	return &command{
		name: "profiles", arguments: "[list | set NAME | use NAME | remove NAME]",
		summary: "store addresses and keys of servers",
		details: `
set asks for the key, or reads it from standard input; it is never an argument, which other users can see. Keys are in
a file that only you can read: profiles.json in the folder freelancer-matching of your configuration, or the file that
MATCHING_CONFIG names. MATCHING_API_KEY takes precedence over profiles, and -profile over MATCHING_API_KEY.

Examples:
  matching profiles set work -url https://match.example.com
  matching profiles use work
`,
		flags: c.newFlags("profiles"), most: 2, run: c.profiles,
	}
}

func (c *cli) profiles(_ context.Context, args []string) error {
	profiles, err := c.readConfig()
	if err != nil {
		return err
	}
	if len(args) == 0 || args[0] == "list" {
		c.listProfiles(profiles)
		return nil
	}
	if len(args) != 2 {
		return commandline.Usagef("name a profile: matching profiles %s NAME", args[0])
	}

	// set is the only command for a profile that doesn't exist yet.
	name := args[1]
	_, known := profiles.Profiles[name]
	switch {
	case args[0] == "set":
		return c.setProfile(profiles, name)
	case args[0] != "use" && args[0] != "remove":
		return commandline.Usagef("unknown command %q; the commands are list, set, use and remove%s", args[0],
			commandline.DidYouMean(args[0], "", []string{"list", "set", "use", "remove"}))
	case !known:
		return unknownProfile(profiles, name)
	case args[0] == "use":
		profiles.Current = name
	default:
		delete(profiles.Profiles, name)
		if profiles.Current == name {
			profiles.Current = ""
		}
	}
	return c.writeConfig(profiles)
}

// setProfile stores a profile with the key that a person types. The first one becomes the current one.
func (c *cli) setProfile(profiles config, name string) error {
	address := c.options.url
	if address == "" {
		address = profiles.Profiles[name].URL
	}
	origin, ok := serverOrigin(address)
	if !ok {
		return commandline.Usagef("-url must be the address of the server, such as https://match.example.com; got %q",
			address)
	}

	// The address is shown before the key is typed: a key for another server must not be stored here.
	fmt.Fprintf(c.stderr, "API key for %s: ", origin)
	key, shown, err := c.secret()
	if shown && err == nil {
		key, err = bufio.NewReader(c.stdin).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	fmt.Fprintln(c.stderr)
	if err != nil {
		return fmt.Errorf("read the key: %w", err)
	}
	if key = strings.TrimSpace(key); key == "" {
		return commandline.Usagef("the key is empty")
	}

	profiles.Profiles[name] = server{origin, key}
	if profiles.Current == "" {
		profiles.Current = name
	}
	return c.writeConfig(profiles)
}

// listProfiles prints the profiles, without their keys.
func (c *cli) listProfiles(profiles config) {
	if len(profiles.Profiles) == 0 {
		fmt.Fprintln(c.stdout, "No profiles. \"matching profiles set NAME -url URL\" adds one.")
	}
	for _, name := range slices.Sorted(maps.Keys(profiles.Profiles)) {
		mark := " "
		if name == profiles.Current {
			mark = "*"
		}
		fmt.Fprintf(c.stdout, "%s %-12s %s\n", mark, name, profiles.Profiles[name].URL)
	}
}
