package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/mcp"
	"github.com/freelancer-matching/service/server/web"
)

// agentPath is where agents find the tools of the Model Context Protocol.
const agentPath = "/mcp"

// agentRoutes returns the route of the Model Context Protocol, which openapi.yaml can't describe. A message costs
// nothing: what it asks of the API counts.
func (s *Server) agentRoutes() []route {
	return []route{{
		method: http.MethodPost, path: agentPath, name: "mcp", handle: s.serveAgent, receive: s.gates.receiveJSON(),
		free: true, everyKey: true, time: s.deps.RequestTimeout + s.deps.ScanTime,
	}}
}

// serveAgent handles one message of an agent.
func (s *Server) serveAgent(_ context.Context, call *endpoint.Call) error {
	if call.Body.Err != nil {
		return call.Body.Err
	}

	// The protocol had lists of messages for one version. One request could then take all of an account's slots.
	if bytes.HasPrefix(bytes.TrimSpace(call.Body.Data), []byte("[")) {
		return strictjson.Malformed("Send one message of the Model Context Protocol in each request, not a list.")
	}

	// The SDK would respond with a text, without a code.
	if !json.Valid(call.Body.Data) {
		return strictjson.Malformed("The body is not valid JSON; send a message of the Model Context Protocol.")
	}

	// The requests to the API have slots and usage of their own. This one must not hold the slot that they wait for.
	if call.Body.Release != nil {
		call.Body.Release()
	}
	call.PerPart = true

	r := call.Request
	r.Body = io.NopCloser(bytes.NewReader(call.Body.Data))
	key := &call.Caller.Key
	s.agents.Serve(call.Response, r, mcp.Access{Operations: key.Operations, Permissions: key.Permissions},
		&agentAPI{handler: s.engine, call: call})
	return nil
}

// agentAPI serves the requests of an agent's tools in this process, as if the agent had sent them itself: with its key,
// from its address, until the deadline of its message.
type agentAPI struct {
	handler http.Handler
	call    *endpoint.Call
}

// Do implements mcp.API.
func (a *agentAPI) Do(r *http.Request) (response *http.Response, err error) {
	message := a.call.Request
	r = r.WithContext(message.Context())
	r.Host = message.Host
	r.RemoteAddr = message.RemoteAddr
	for _, name := range []string{headerKey, "Authorization", "X-Forwarded-For"} {
		if values := message.Header.Values(name); len(values) > 0 {
			r.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	r.Header.Set(headerRequestID, a.call.ID)

	// A handler panics to cut the connection in the middle of a response.
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the response was cut: %v", cause)
		}
	}()

	recorded := web.NewRecorder()
	a.handler.ServeHTTP(recorded, r)
	return recorded.Response(), nil
}
