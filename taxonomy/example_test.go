package taxonomy_test

import (
	"fmt"
	"log"

	"github.com/freelancer-matching/service/taxonomy"
)

func Example() {
	tax, err := taxonomy.Load()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tax.Resolve("k8s").Name, "|", tax.Resolve("React 18").Name, "|", tax.Resolve("Excel").Name)
	fmt.Println(tax.Suggest("Javascritp", 1))
	for _, m := range tax.Extract("We excel at Next.js, Go and data entry.") {
		fmt.Println(m.ID)
	}
	// Output:
	// Kubernetes | React | Microsoft Excel
	// [JavaScript]
	// next-js
	// go
	// data-entry
}
