package apikey_test

import (
	"fmt"

	"github.com/freelancer-matching/service/access/apikey"
)

func ExampleParse() {
	plan, _ := apikey.PlanNamed("professional")
	token := apikey.Generate(plan)

	parsed, err := apikey.Parse(token)
	fmt.Println(parsed.Name, parsed.PerMinute, err)

	_, err = apikey.Parse(token[:len(token)-1])
	fmt.Println(err)
	// Output:
	// professional 1000 <nil>
	// not a key of this service
}
