package matching

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// A breakingTransport breaks each stream of an interview in its second event, unless that is the last.
type breakingTransport struct {
	lastEvents []string // the headers of the requests
}

// RoundTrip sends a request.
func (b *breakingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	isStream := err == nil && response.StatusCode == http.StatusOK && strings.HasSuffix(r.URL.Path, "/interview/stream")
	if !isStream {
		return response, err
	}
	defer response.Body.Close()
	b.lastEvents = append(b.lastEvents, r.Header.Get("Last-Event-ID"))

	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	first, rest, _ := bytes.Cut(text, []byte("\n\n"))
	if len(rest) > 0 {
		text = append(append(first, "\n\n"...), rest[:9]...)
	}

	body := []io.Reader{bytes.NewReader(text)}
	if len(rest) > 0 {
		body = append(body, iotest.ErrReader(errors.New("connection reset by peer")))
	}
	response.Body = io.NopCloser(io.MultiReader(body...))
	return response, nil
}

func TestStream_ContinuesOnTheServer(t *testing.T) {
	if os.Getenv("MATCHING_URL") == "" {
		t.Skip("needs a server: make sdks")
	}
	breaking := &breakingTransport{}
	c, _ := connect(t, Options{
		Key: os.Getenv("MATCHING_API_KEY"), URLs: []string{os.Getenv("MATCHING_URL")}, MaxWait: time.Hour,
		HTTPClient: &http.Client{Transport: breaking},
	})

	found, err := c.Match(ctx, MatchRequest{RequiredSkills: []string{"React"}, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	events, err := collect(c.Interviews.Stream(ctx, InterviewRequest{
		FreelancerID: found.Matches[0].Freelancer.ID, JobTitle: "React developer", NumQuestions: 2,
	}))
	if err != nil || len(events) != 4 || events[3].Result == nil {
		t.Fatalf("got %+v, %v", events, err)
	}
	if err := c.Interviews.Delete(ctx, events[3].Result.SessionID); err != nil {
		t.Error(err)
	}

	want := append([]string{""}, idsOf(events[:3])...)
	if !slices.Equal(breaking.lastEvents, want) {
		t.Errorf("the client continued after %q, want %q", breaking.lastEvents, want)
	}
}
