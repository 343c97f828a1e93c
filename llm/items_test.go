package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pieces reads a text in pieces of random length.
type pieces struct {
	text   string
	random *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) {
	reader := strings.NewReader(p.text)
	n, err := reader.Read(b[:min(len(b), 1+p.random.IntN(7))])
	p.text = p.text[n:]
	return n, err
}

// readAll reads the items of a text in pieces.
func readAll(text string, random *rand.Rand) (elements []json.RawMessage, object json.RawMessage, err error) {
	object, err = readItems(&pieces{text, random}, func(element json.RawMessage) error {
		elements = append(elements, bytes.Clone(element))
		return nil
	})
	return elements, object, err
}

func TestReadItems(t *testing.T) {
	const otherForm = `the reply is not of the form {"items": […]}`
	tests := []struct {
		name, text string
		want       []string
		fault      string // "": none
	}{
		{"objects", `{"items":[{"a":[1,{"b":"]}"}]},{}]}`, []string{`{"a":[1,{"b":"]}"}]}`, `{}`}, ""},
		{
			"all other types", ` { "items" : [ 1 , -2.5e3,"a\"]\\",null,true, [ ] ] } `,
			[]string{"1", "-2.5e3", `"a\"]\\"`, "null", "true", "[ ]"},
			"",
		},
		{"empty array", `{"items":[]}`, nil, ""},
		{"fence", "```json\n{\"items\":[1]}\n```\nDone.", []string{"1"}, ""},
		{"long prose", strings.Repeat("prose ", 2000) + `{"items":[1]}`, []string{"1"}, ""},
		{"reasoning", "\n<think>a > b {\"items\":[9]}</think>{\"items\":[1]}", []string{"1"}, ""},
		{"another name of reasoning", `<thinking>{"items":[9]}</thinking> {"items":[1]}`, []string{"1"}, ""},
		{"almost reasoning", `<thinker> {"items":[1]}`, []string{"1"}, ""},
		{"endless reasoning", `<think>{"items":[1]}`, nil, "the reply has no complete JSON object"},
		{"reasoning without its beginning", `Draft: {"items":[9]}. Better: </think>{"items":[1]}`, []string{"1"}, ""},
		{"half an object in reasoning", `So {"items":[{"a":"b </think>{"items":[1]}`, []string{"1"}, ""},
		{
			"two objects after reasoning", `a</think>{"items":[8]} hm {"items":[9]}`,
			[]string{"8"},
			"the reply has more than one JSON object",
		},
		{"two ends of reasoning", `<think>a</think> so {"items":[9]} </think>{"items":[1]}`, []string{"1"}, ""},
		{"an end of reasoning in a string", `{"items":["</think>{}"]}`, []string{`"</think>{}"`}, ""},
		{"an end of reasoning in a string after prose", `Sure: {"items":["</think>{}"]}`, []string{`"</think>{}"`}, ""},
		{
			"gpt-oss", `<|channel|>analysis<|message|>{"items":[9]}?<|end|><|start|>assistant<|channel|>final<|message|>` +
				`{"items":[1]}<|return|>`, []string{"1"}, "",
		},
		{
			"gpt-oss with a form", `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final ` +
				`<|constrain|>json<|message|>{"items":[1]}`, []string{"1"}, "",
		},
		{"gpt-oss without its special tokens", `analysisSay {"items":[9]}.assistantfinal{"items":[1]}`, []string{"1"}, ""},
		{"nothing", ``, nil, "the reply has no complete JSON object"},
		{"another key", `{"item":[1]}`, nil, otherForm},
		{"no key", `{1:[1]}`, nil, otherForm},
		{"no array", `{"items":{}}`, nil, otherForm},
		{"half an element", `{"items":[1,{"a":`, []string{"1"}, "the JSON ends before it is complete"},
		{"no end", `{"items":[1]`, []string{"1"}, "the JSON ends before it is complete"},
		{"extra comma", `{"items":[1,]}`, []string{"1"}, "element 2 of the items is not JSON"},
		{"missing comma", `{"items":[1 2]}`, []string{"1"}, "element 2 of the items is not JSON"},
		{"wrong brackets", `{"items":[{"a":1]]}`, nil, "element 1 of the items is not JSON"},
		{"a second object", `{"items":[1]} {"items":[2]}`, []string{"1"}, "the reply has more than one JSON object"},
		{"a second key", `{"items":[1],"b":2}`, []string{"1"}, otherForm},
	}

	random := rand.New(rand.NewPCG(1, 2))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for range 20 {
				elements, _, err := readAll(test.text, random)
				var got []string
				for _, element := range elements {
					got = append(got, string(element))
				}

				fault := ""
				if err != nil {
					fault = err.Error()
				}

				if diff := cmp.Diff(test.want, got); diff != "" || fault != test.fault {
					t.Fatalf("got error %q, want %q; elements (-want +got):\n%s", fault, test.fault, diff)
				}
			}
		})
	}
}

func TestReadItems_StopsWithItsCaller(t *testing.T) {
	enough := errors.New("enough")
	n := 0
	_, err := readItems(strings.NewReader(`{"items":[1,2,3]}`), func(json.RawMessage) error { n++; return enough })
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("got %v after %d elements, want the caller's error after 1", err, n)
	}
}

// The pieces of a text make no difference. Each element is JSON, and the elements of a valid list are those that
// encoding/json finds.
func FuzzReadItems(f *testing.F) {
	f.Add(`{"items":[{"a":"\"]}"},[[]],1e9,null]}`, uint64(1))
	f.Add("<think>{</think>```{\"items\":[\"\\\\\"]}```", uint64(2))
	f.Add(`{"items":[1,`, uint64(3))
	f.Add(`So {"items":[{"a":"b </think>{"items":[1]}`, uint64(4))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		elements, object, err := readAll(text, rand.New(rand.NewPCG(seed, 1)))
		again, _, errAgain := readAll(text, rand.New(rand.NewPCG(seed, 2)))
		if diff := cmp.Diff(elements, again); diff != "" || (err == nil) != (errAgain == nil) {
			t.Fatalf("got %v and %v with other pieces; elements (-first +second):\n%s", err, errAgain, diff)
		}

		for _, element := range append(elements, object) {
			if element != nil && !json.Valid(element) {
				t.Errorf("%q is not JSON", element)
			}
		}

		var list map[string][]json.RawMessage
		if json.Unmarshal([]byte(text), &list) != nil || len(list) != 1 || list["items"] == nil || err != nil {
			return
		}

		if diff := cmp.Diff(list["items"], elements); diff != "" && len(elements)+len(list["items"]) > 0 {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Whatever a model says, findObject finds a JSON object that the model said.
func FuzzFindObject(f *testing.F) {
	f.Add("Here: ```json\n{\"a\":\"}\"}\n``` or {b}")
	f.Add(`<think>{}</think>{"a":{}}`)
	f.Add(`{{{"a":1}`)
	f.Add(`analysis{"a":"</thinking>assistantfinal{"b":"</think>"}`)
	f.Fuzz(func(t *testing.T, text string) {
		object, err := findObject(text)
		if err == nil && (!json.Valid(object) || object[0] != '{' || !bytes.Contains([]byte(text), object)) {
			t.Errorf("found %q", object)
		}
		var alone map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &alone) == nil && alone != nil && err != nil {
			t.Errorf("got %v for %q, which is an object", err, text)
		}
	})
}
