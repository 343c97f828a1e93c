package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/buildinfo"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/mcp"
)

const mcpHelp = `Usage: server mcp [-url URL] [-key-file FILE] [-files FOLDER]

Offer a running server to an agent, such as Claude Desktop, as tools of the Model Context Protocol over standard input
and output. The server checks every call: the limits and permissions of the key apply. Agents that can reach the server
don't need this command; they use its address with /mcp.

The API key is read from -key-file, or from the environment variable MATCHING_API_KEY.

Examples:
  MATCHING_API_KEY=svc_pr_… server mcp
        offer the server on this machine
  server mcp -url https://match.example.com -key-file key
        offer another one
  server mcp -key-file key -files ~/resumes
        let the agent read resumes in a folder, and no other file

Flags:
`

// agentTimeout limits how long the server may take to respond to the call of a tool. Its own limits are lower.
const agentTimeout = 5 * time.Minute

func (c console) mcp(ctx context.Context, args []string) error {
	flags := commandline.NewFlags("server mcp")
	address := flags.String("url", "http://127.0.0.1:8080", "`URL` of the server")
	keyFile := flags.String("key-file", "", "`file` with the API key")
	folder := flags.String("files", "", "`folder` with resumes that the agent may read")
	words, err := c.parseFlags(flags, args, mcpHelp)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return commandline.Usagef("mcp takes no arguments, got %q", words[0])
	}

	origin, err := serverOrigin(*address)
	if err != nil {
		return err
	}
	key, err := c.apiKey(*keyFile)
	if err != nil {
		return err
	}
	api := newRemoteAPI(key)
	access, err := api.access(ctx, origin)
	if err != nil {
		return err
	}

	// Standard output belongs to the protocol.
	log := slog.New(slog.NewTextHandler(c.stderr, nil))
	tools := mcp.New(buildinfo.Read().Version, log)
	if *folder != "" {
		root, err := os.OpenRoot(*folder)
		if err != nil {
			return fmt.Errorf("open the folder of -files: %w", err)
		}
		defer root.Close()
		tools = mcp.NewWithFiles(buildinfo.Read().Version, log, root)
	}

	return tools.Run(ctx, access, api, origin)
}

// serverOrigin returns the scheme and the host of a server's URL.
func serverOrigin(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
		return "", commandline.Usagef("-url must be the address of a server, such as https://match.example.com; got %q",
			address)
	}
	return u.Scheme + "://" + u.Host, nil
}

// apiKey returns the key in a file, or else that of the environment.
func (c console) apiKey(file string) (string, error) {
	if file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("read -key-file: %w", err)
		}
		return strings.TrimSpace(string(content)), nil
	}
	key, _ := c.environment("MATCHING_API_KEY")
	if key == "" {
		return "", commandline.Usagef("the API key is missing: set MATCHING_API_KEY or -key-file")
	}
	return key, nil
}

// A remoteAPI sends requests with a key.
type remoteAPI struct {
	key    string
	client http.Client
}

// newRemoteAPI returns an API for a key. It follows no redirect, which could take the key to another host.
func newRemoteAPI(key string) *remoteAPI {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &remoteAPI{key: key, client: http.Client{Timeout: agentTimeout, CheckRedirect: stay}}
}

// Do implements mcp.API.
func (a *remoteAPI) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-API-Key", a.key)
	return a.client.Do(r)
}

// access asks the server what the key may do.
func (a *remoteAPI) access(ctx context.Context, origin string) (mcp.Access, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/api/v1/me", http.NoBody)
	if err != nil {
		return mcp.Access{}, err
	}
	response, err := a.Do(r)
	if err != nil {
		return mcp.Access{}, fmt.Errorf("the server doesn't respond; check -url: %w", err)
	}
	defer response.Body.Close()

	var answer struct {
		wire.MeAnswer
		Error wire.FailureError `json:"error"`
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	switch {
	case err == nil && answer.Error.Code != "":
		return mcp.Access{}, fmt.Errorf("%s (%s)", answer.Error.Message, answer.Error.Code)
	case err != nil || response.StatusCode != http.StatusOK:
		return mcp.Access{}, fmt.Errorf("%s responded to /api/v1/me with %s; check -url", origin, response.Status)
	}
	return mcp.Access{Operations: answer.Data.Operations, Permissions: answer.Data.Permissions}, nil
}
