package webhook_test

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/webhook"
)

// The reference example of Standard Webhooks, which its libraries test, too.
func TestSign(t *testing.T) {
	secret, err := webhook.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	const id, body, want = "msg_p5jXN8AQM9LWM0D4loKWxJek", `{"test": 2432232314}`,
		"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if got := webhook.Sign(secret, id, time.Unix(1614265330, 0), []byte(body)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseSecret(t *testing.T) {
	encoded := func(n int) string {
		return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("s", n)))
	}
	for text, valid := range map[string]bool{
		encoded(24): true, encoded(32): true, encoded(256): true,
		encoded(23): false, encoded(257): false, "": false, "whsec_": false, "whsec_ü": false,
		strings.TrimPrefix(encoded(32), "whsec_"): false, encoded(32) + "!": false,
	} {
		_, err := webhook.ParseSecret(text)
		if (err == nil) != valid {
			t.Errorf("%q: %v, want valid %t", text, err, valid)
		}

		if err != nil && len(text) > 10 && strings.Contains(err.Error(), text[6:]) {
			t.Errorf("the error quotes the secret: %v", err)
		}
	}

	secret, err := webhook.ParseSecret(encoded(24))
	if err != nil {
		t.Fatal(err)
	}

	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, webhook.Endpoint{Secret: secret}); strings.Contains(text, "sss") ||
			strings.Contains(text, "115") {
			t.Errorf("%s shows the secret: %s", format, text)
		}
	}
}

func TestCheckURL(t *testing.T) {
	allowed := webhook.Allowed{
		Hosts: []string{"hooks.internal"}, Networks: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")},
	}
	for text, valid := range map[string]bool{
		"https://example.com": true, "https://example.com:8443/a?b=c": true, "HTTPS://example.com/": true,
		"https://8.8.8.8/": true, "https://[2606:4700::1111]/": true,
		"https://hooks.internal/": true, "http://hooks.internal:8080/": true, "http://Hooks.Internal./": true,
		"http://10.1.2.3/": true, "https://10.1.2.3/": true,

		"": false, "example.com": false, "https://": false, "https:example.com": false, "/hook": false,
		"http://example.com/": false, "ftp://example.com/": false, "https://exa mple.com/": false,
		"https://example.com/\n": false, "https://exämple.com/": false,
		"https://user:pw@example.com/": false, "https://user@example.com/": false,
		"https://example.com/#a": false, "https://example.com/#": false,
		"https://localhost/": false, "https://127.0.0.1/": false, "https://[::1]/": false,
		"https://10.2.0.1/": false, "https://169.254.169.254/": false, "https://[::ffff:10.2.0.1]/": false,
		"https://[fe80::1%25eth0]/":                                  false,
		"https://example.com/" + strings.Repeat("x", webhook.MaxURL): false,
	} {
		if err := allowed.CheckURL(text); (err == nil) != valid {
			t.Errorf("%q: %v, want valid %t", text, err, valid)
		}
	}
}
