// Command example serves ../example.html with browser tokens. The API key never leaves this program. Run it in the
// repository: MATCHING_URL=… MATCHING_API_KEY=… go run ./clients/web/example 127.0.0.1:3000
package main

import (
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	listener, err := net.Listen("tcp", os.Args[1]) //nolint:noctx // there is nothing to cancel
	if err != nil {
		log.Fatal(err)
	}
	origin, service := "http://"+listener.Addr().String(), os.Getenv("MATCHING_URL")
	page := template.Must(template.ParseFiles("clients/web/example.html"))
	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { _ = page.Execute(w, service) })
	http.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) { // for signed-in visitors, on a real page
		body := strings.NewReader(`{"origins": ["` + origin + `"], "hide": ["hourly_rate", "profile_url"]}`)
		//nolint:gosec // G704: the address is the operator's
		create, _ := http.NewRequestWithContext(r.Context(), http.MethodPost, service+"/api/v1/browser-tokens", body)
		create.Header = http.Header{"Content-Type": {"application/json"}, "X-API-Key": {os.Getenv("MATCHING_API_KEY")}}
		response, err := (&http.Client{Timeout: 10 * time.Second}).Do(create) //nolint:gosec // G704: as above
		if err != nil {
			http.Error(w, "no token: "+err.Error(), http.StatusBadGateway)
			return
		}
		defer func() { _ = response.Body.Close() }()
		w.WriteHeader(response.StatusCode)
		_, _ = io.Copy(w, response.Body)
	})
	log.Println("Open", origin)          //nolint:gosec // G706: the address of this machine
	log.Fatal(http.Serve(listener, nil)) //nolint:gosec // G114: an example needs no timeouts
}
