package segment

import (
	"fmt"
	"testing"
)

// A stored set finds its names, also those with equal hashes, and no others.
func TestNames_Search(t *testing.T) {
	var n Names
	byHash := map[uint32]string{}
	collisions := 0
	for i := 0; collisions < 3; i++ {
		name := fmt.Sprintf("name-%d", i)
		hash := nameHash(name)
		if other, ok := byHash[hash]; ok {
			collisions++
			n.add(name)
			if collisions != 2 { // of one pair, only one is in the set
				n.add(other)
			}
		} else if byHash[hash] = name; i%100 == 0 {
			n.add(name)
		}
	}

	stored := Names{text: n.text, ends: n.ends}
	stored.hashes, stored.order = stored.sort()
	if err := stored.checkContent("names"); err != nil {
		t.Error(err)
	}

	for _, name := range byHash {
		number, ok := n.Find(name)
		if got, found := stored.Find(name); found != ok || ok && got != number {
			t.Fatalf("%q: %d, %v; want %d, %v", name, got, found, number, ok)
		}
	}

	if _, ok := new(Names).Find(""); ok {
		t.Error("an empty set contains a name")
	}
}
