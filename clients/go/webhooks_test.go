package matching

import (
	"errors"
	"net/http"
	"testing"
)

func TestWebhooks_SendTheirRequests(t *testing.T) {
	endpoint := `{"status":"success","data":{"id":"we_1","url":null,"enabled":true,"secret":"whsec_eA=="}}`
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.RawQuery == "limit=100":
			respond(200, `{"status":"success","data":[{"id":"msg_1"}],"next_cursor":"c1"}`)(w, r)
		case r.URL.Path == "/api/v1/webhooks/a/b/deliveries":
			const body = `{"type":"key.expiring","data":{"key_id":"key_1"}}`
			respond(200, `{"status":"success","data":[{"id":"msg_2","body":`+body+`}],"next_cursor":null}`)(w, r)
		case r.Method == http.MethodGet && r.URL.Path == "/api/v1/webhooks":
			respond(200, `{"status":"success","data":[{"id":"we_1"},{"id":"we_2"}]}`)(w, r)
		default:
			respond(200, endpoint)(w, r)
		}
	})
	c, _ := connect(t, Options{URLs: []string{server.url}})
	must := func(ok bool, err error) {
		t.Helper()
		if err != nil || !ok {
			t.Error(err, ok)
		}
	}

	created, err := c.Webhooks.Create(ctx, EndpointRequest{Events: []string{"load.live"}})
	must(created.Secret == "whsec_eA==" && created.URL == "", err)
	list, err := c.Webhooks.List(ctx)
	must(len(list) == 2, err)
	got, err := c.Webhooks.Get(ctx, "a/b")
	must(got.ID == "we_1", err)
	changed, err := c.Webhooks.Change(ctx, "a/b", WebhookChange{URL: Known(""), Enabled: Known(false)})
	must(changed.ID == "we_1", err)
	rotated, err := c.Webhooks.Rotate(ctx, "a/b")
	must(rotated.Secret == "whsec_eA==", err)
	id, err := c.Webhooks.Test(ctx, "a/b", "key.expiring")
	must(id == "we_1", err)
	deliveries, err := collect(c.Webhooks.Deliveries(ctx, "a/b"))
	must(len(deliveries) == 2, err)
	message, err := deliveries[1].Message()
	must(message.ID == "msg_2" && message.Key.KeyID == "key_1", err)
	must(true, c.Webhooks.Retry(ctx, "a/b", "msg/1"))
	must(true, c.Webhooks.Delete(ctx, "a/b"))

	want := []string{
		`POST /api/v1/webhooks {"events":["load.live"]}`, "GET /api/v1/webhooks ", "GET /api/v1/webhooks/a%2Fb ",
		`PATCH /api/v1/webhooks/a%2Fb {"url":"","enabled":false}`, "POST /api/v1/webhooks/a%2Fb/rotate ",
		`POST /api/v1/webhooks/a%2Fb/test {"event":"key.expiring"}`, "GET /api/v1/webhooks/a%2Fb/deliveries?limit=100 ",
		"GET /api/v1/webhooks/a%2Fb/deliveries?cursor=c1&limit=100 ",
		"POST /api/v1/webhooks/a%2Fb/deliveries/msg%2F1/retry ", "DELETE /api/v1/webhooks/a%2Fb ",
	}
	for i, r := range server.requests() {
		if got := r.Method + " " + r.RequestURI + " " + r.text; got != want[i] {
			t.Errorf("request %d is %s, want %s", i, got, want[i])
		}
	}
}

// What would be done twice isn't repeated after a lost response.
func TestWebhooks_RepeatOnlyWhatDoesNoHarm(t *testing.T) {
	for name, test := range map[string]struct {
		call func(*Client) error
		want int
	}{
		"Create": {func(c *Client) error { _, err := c.Webhooks.Create(ctx, EndpointRequest{}); return err }, 1},
		"Rotate": {func(c *Client) error { _, err := c.Webhooks.Rotate(ctx, "we_1"); return err }, 1},
		"Test":   {func(c *Client) error { _, err := c.Webhooks.Test(ctx, "we_1", ""); return err }, 1},
		"Retry":  {func(c *Client) error { return c.Webhooks.Retry(ctx, "we_1", "msg_1") }, 1},
		"Delete": {func(c *Client) error { return c.Webhooks.Delete(ctx, "we_1") }, 3},
		"Get":    {func(c *Client) error { _, err := c.Webhooks.Get(ctx, "we_1"); return err }, 3},
	} {
		server := serve(t, breakOff(""))
		c, _ := connect(t, Options{URLs: []string{server.url}})
		if err := test.call(c); !errors.Is(err, ErrConnection) || len(server.requests()) != test.want {
			t.Errorf("%s: %d requests, %v", name, len(server.requests()), err)
		}
	}

	c, _ := connect(t, Options{})
	if _, err := collect(c.Webhooks.Deliveries(ctx, "..")); err == nil {
		t.Error("an ID that leads to another path is accepted")
	}
	if err := c.Webhooks.Retry(ctx, "we_1", "."); err == nil {
		t.Error("a delivery that leads to another path is accepted")
	}
}
