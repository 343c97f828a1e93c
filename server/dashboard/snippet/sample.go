package snippet

import (
	"fmt"

	"github.com/freelancer-matching/service/server/api/wire"
)

// A short sample brief that demo data has good matches for.
const (
	sampleDescription = "Online shop for a ceramics studio: React storefront, Node.js backend, card payments."
	sampleLimit       = 3
)

// First returns what to paste into a terminal for the first match, in every language: commands that set the key,
// install a client, and send a sample brief to the API at an origin. Without a key, it has to be in the environment
// already.
func First(origin, key string) []Snippet {
	brief := ReadableJSON(wire.MatchRequest{
		Description: sampleDescription, RequiredSkills: []string{"React", "Node.js"}, Limit: new(sampleLimit),
	})
	all := []Snippet{
		{"curl", "curl", Curl(Request{Origin: origin, Path: "/api/v1/match", Body: brief})},
		{"python", "Python", fmt.Sprintf(firstPython, installPython, origin, sampleDescription, sampleLimit)},
		{"typescript", "TypeScript", fmt.Sprintf(firstTypeScript, installTypeScript, origin, sampleDescription, sampleLimit)},
		{"go", "Go", fmt.Sprintf(firstGo, goModule, origin, sampleDescription, sampleLimit)},
	}
	if key != "" {
		for i := range all {
			all[i].Code = "export " + KeyVariable + "=" + key + "\n" + all[i].Code
		}
	}
	return all
}

// These take the way to install a client, the origin, the description and the limit.
const (
	firstPython = `%s
python3 - <<'END'
from freelancer_matching import Client
client = Client(url=%q)
description = %q
for match in client.match(description=description, required_skills=["React", "Node.js"], limit=%d)["matches"]:
    print(match["score"], match["freelancer"]["name"])
END`

	firstTypeScript = `%s
node --input-type=module - <<'END'
import { Client } from "freelancer-matching";
const client = new Client({ url: %q });
const description = %q;
const { matches } = await client.match({ description, required_skills: ["React", "Node.js"], limit: %d });
for (const { score, freelancer } of matches) console.log(score, freelancer.name);
END`

	firstGo = `cat >main.go <<'END' && go mod init first-match && go get %[1]s && go run .
package main; import ("context"; "fmt"; matching %[1]q)
func main() {
	brief := matching.MatchRequest{Description: %[3]q, RequiredSkills: []string{"React", "Node.js"}, Limit: %[4]d}
	answer, err := matching.NewClient(matching.Options{URLs: []string{%[2]q}}).Match(context.Background(), brief)
	if err != nil { panic(err) }
	for _, match := range answer.Matches { fmt.Println(match.Score, match.Freelancer.Name) }
}
END`
)
