package messages

import (
	"errors"
	"fmt"
	"testing"

	"github.com/freelancer-matching/service/interview"
)

func TestReason(t *testing.T) {
	cause := errors.New("Post http://10.0.0.7/v1: connection refused")
	err := fmt.Errorf("ask: %w", interview.WithReason(cause, interview.ReasonUnavailable))
	if !errors.Is(err, cause) {
		t.Error("the error with a reason does not wrap its cause")
	}
	for language, want := range map[string]string{
		"en": "its server was unreachable or overloaded",
		"de": "sein Server war nicht erreichbar oder überlastet",
		"ja": "its server was unreachable or overloaded",
	} {
		if got := Reason(err, language); got != want {
			t.Errorf("%s: got %q, want %q", language, got, want)
		}
	}
	if got, want := Reason(cause, "en"), "its reply was unusable"; got != want {
		t.Errorf("without a reason: got %q, want %q", got, want)
	}
}

func TestReasonTexts_AreComplete(t *testing.T) {
	for language, texts := range reasonTexts {
		for reason := range reasonTexts["en"] {
			if texts[reason] == "" {
				t.Errorf("%s has no text for %s", language, reason)
			}
		}
	}
}
