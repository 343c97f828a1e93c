package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// feedAll feeds a text in pieces of random length.
func feedAll(text string, random *rand.Rand) (elements []json.RawMessage, err error) {
	var p items
	for len(text) > 0 && err == nil {
		n := 1 + random.IntN(min(len(text), 7))
		err = p.feed(text[:n], func(element json.RawMessage) error {
			elements = append(elements, bytes.Clone(element))
			return nil
		})
		text = text[n:]
	}
	if err == nil {
		err = p.end()
	}
	return elements, err
}

func TestItems_FindsElements(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		fault      string // "": none
	}{
		{"objects", `{"items":[{"a":[1,{"b":"]}"}]},{}]}`, []string{`{"a":[1,{"b":"]}"}]}`, `{}`}, ""},
		{"everything else", ` { "items" : [ 1 , -2.5e3,"a\"]\\",null,true, [ ] ] } `, []string{"1", "-2.5e3", `"a\"]\\"`, "null", "true", "[ ]"}, ""},
		{"none", `{"items":[]}`, nil, ""},
		{"fence", "```json\n{\"items\":[1]}\n```\nDone.", []string{"1"}, ""},
		{"thoughts", "\n<think>{\"items\":[9]}</think>{\"items\":[1]}", []string{"1"}, ""},
		{"nearly thoughts", `<thinking> {"items":[1]}`, []string{"1"}, ""},
		{"thoughts without end", `<think>{"items":[1]}`, nil, "there is no JSON object in the reply"},
		{"nothing", ``, nil, "there is no JSON object in the reply"},
		{"another key", `{"item":[1]}`, nil, `the first key of the JSON is not "items"`},
		{"a long key", `{"items and more":[1]}`, nil, `the first key of the JSON is not "items"`},
		{"no array", `{"items":{}}`, nil, `the JSON has '{' where {"items": […]} would have something else`},
		{"half an element", `{"items":[1,{"a":`, []string{"1"}, "the JSON ends before it is complete"},
		{"no end", `{"items":[1]`, []string{"1"}, "the JSON ends before it is complete"},
		{"a comma too many", `{"items":[1,]}`, []string{"1"}, "element 2 of the items is not JSON"},
		{"no comma", `{"items":[1 2]}`, []string{"1"}, `the JSON has '2' where {"items": […]} would have something else`},
		{"wrong brackets", `{"items":[{"a":1]]}`, nil, "element 1 of the items is not JSON"},
		{"a second object", `{"items":[1]} {"items":[2]}`, []string{"1"}, "there is more than one JSON object in the reply"},
		{"a second key", `{"items":[1],"b":2}`, []string{"1"}, `the JSON has ',' where {"items": […]} would have something else`},
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for range 20 {
				elements, err := feedAll(test.text, random)
				var got []string
				for _, element := range elements {
					got = append(got, string(element))
				}
				fault := ""
				if err != nil {
					fault = err.Error()
				}
				if diff := cmp.Diff(test.want, got); diff != "" || fault != test.fault {
					t.Fatalf("fault %q, want %q (-want +got):\n%s", fault, test.fault, diff)
				}
			}
		})
	}
}

func TestItems_StopsWithItsCaller(t *testing.T) {
	enough := errors.New("enough")
	var p items
	n := 0
	err := p.feed(`{"items":[1,2,3]}`, func(json.RawMessage) error { n++; return enough })
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("%v after %d elements", err, n)
	}
}

// However a text is cut into pieces, the elements are the same, each of them is JSON, and where the text is a list for
// encoding/json they are its elements.
func FuzzItems(f *testing.F) {
	f.Add(`{"items":[{"a":"\"]}"},[[]],1e9,null]}`, uint64(1))
	f.Add("<think>{</think>```{\"items\":[\"\\\\\"]}```", uint64(2))
	f.Add(`{"items":[1,`, uint64(3))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		elements, err := feedAll(text, rand.New(rand.NewPCG(seed, 1)))
		again, errAgain := feedAll(text, rand.New(rand.NewPCG(seed, 2)))
		if diff := cmp.Diff(elements, again); diff != "" || (err == nil) != (errAgain == nil) {
			t.Fatalf("%v and %v, by pieces (-want +got):\n%s", err, errAgain, diff)
		}
		for _, element := range elements {
			if !json.Valid(element) {
				t.Errorf("%q is not JSON", element)
			}
		}
		var object map[string][]json.RawMessage
		if json.Unmarshal([]byte(text), &object) != nil || len(object) != 1 || object["items"] == nil || err != nil {
			return
		}
		if diff := cmp.Diff(object["items"], elements); diff != "" && len(elements)+len(object["items"]) > 0 {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Whatever a model says, what is found in it is one JSON object that it said.
func FuzzFindObject(f *testing.F) {
	f.Add("Here: ```json\n{\"a\":\"}\"}\n``` or {b}")
	f.Add(`<think>{}</think>{"a":{}}`)
	f.Add(`{{{"a":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		object, err := findObject(text)
		if err == nil && (!json.Valid(object) || object[0] != '{' || !bytes.Contains([]byte(text), object)) {
			t.Errorf("found %q", object)
		}
		var alone map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &alone) == nil && alone != nil && err != nil {
			t.Errorf("%v in %q, which is an object", err, text)
		}
	})
}
