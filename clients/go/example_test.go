package matching_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	matching "github.com/freelancer-matching/service/clients/go"
)

// A receiver verifies messages before it believes them, and does longer work after its response.
func ExampleWebhookVerifier() {
	verifier := &matching.WebhookVerifier{
		Secrets: []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
		Now:     func() time.Time { return time.Unix(1614265330, 0) }, // leave it out in your program
	}
	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		message, err := verifier.Receive(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, change := range message.Changes {
			fmt.Println(change.Kind, change.ID)
		}
		w.WriteHeader(http.StatusNoContent)
	})

	const body = `{"type":"freelancer.erased","timestamp":"2021-02-25T15:02:10Z",` +
		`"data":{"changes":[{"sequence":42,"kind":"erased","id":"f1859","at":"2021-02-25T15:02:10Z"}]}}`
	for _, signature := range []string{"v1,vr/u9xstVB6xWBLvFO5GU0V041u2OKEvu8daO7BuOQk=", "v1,Zm9yZ2Vk"} {
		r := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(body))
		r.Header.Set("webhook-id", "msg_1")
		r.Header.Set("webhook-timestamp", "1614265330")
		r.Header.Set("webhook-signature", signature)
		response := httptest.NewRecorder()
		receiver.ServeHTTP(response, r)
		fmt.Println(response.Code)
	}
	// Output:
	// erased f1859
	// 204
	// 400
}

// A cache reads all freelancers once, and afterward only those that change.
func ExampleChangeFeed_Stream() {
	server := httptest.NewServer(http.HandlerFunc(serveFeed))
	defer server.Close()
	client := matching.NewClient(matching.Options{Key: "svc_example", URLs: []string{server.URL}})

	cursor, err := client.Changes.Cursor(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	// … read all freelancers here, with client.Freelancers.List.

	for change, err := range client.Changes.Stream(ctx, cursor) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(change.Kind, change.ID, "- continue after", change.Cursor())
		if change.Kind == "erased" {
			break
		}
	}
	// Output:
	// stored f1 - continue after 41
	// erased f1 - continue after 42
}

// serveFeed responds with a cursor and a short stream.
func serveFeed(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/stream") {
		fmt.Fprint(w, "event: change\nid: 41\ndata: {\"sequence\":41,\"kind\":\"stored\",\"id\":\"f1\"}\n\n"+
			"event: change\nid: 42\ndata: {\"sequence\":42,\"kind\":\"erased\",\"id\":\"f1\"}\n\n")
		return
	}
	fmt.Fprint(w, `{"status":"success","data":[],"next_cursor":"40","has_more":false}`)
}
