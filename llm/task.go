package llm

import "encoding/json"

// ReasoningTokens is what the limit of a reply includes for models that reason before they write.
const ReasoningTokens = 2000

// A Task asks a model to read data and to reply with one JSON object.
//
// Text that somebody else wrote belongs in Data and nowhere else. Name, Instructions, Request, Schema and the labels
// are trusted: they come from the program.
type Task struct {
	// Name is the name of the prompt and its version, such as "interview-questions@2": 1 to 64 letters, digits and the
	// characters - _ . @. It is logged, and sent to the server.
	Name         string
	Instructions string // the system message: the model's role and its rules
	Data         []Datum
	Names        []string // of people, which are removed from the data wherever they occur
	Request      string   // what to do with the data
	// Schema is the JSON schema of the reply: an object in which every object is closed (additionalProperties false).
	Schema    json.RawMessage
	MaxTokens int    // of the reply, including the tokens that the model spends on reasoning; 0: 1024
	Account   string // charged for the tokens; "": no Budget is asked
	// Check reports what a schema can't express, such as unknown ids or invented quotations. Ask calls it with the whole
	// reply, Stream with each element, after validation against the schema. Its error text is sent to the model with the
	// request for a repair, and appears in no log. If Check is nil, the schema suffices.
	Check func(reply json.RawMessage) error
}

// MaxDatum is the default Datum.Limit.
const MaxDatum = 8000

// A Datum is a text that may be hostile. It is sent in Unicode form NFKC, without control, zero-width, bidirectional,
// tag and other invisible characters, and without contact details and recognizable names of people, between random
// delimiters that differ from task to task.
type Datum struct {
	Label string // describes the text to the model, such as "answer"; letters, digits, spaces, - and _
	Text  string
	Limit int // characters to send; the model is informed if the text is longer. 0: MaxDatum
}

// A Reply is the result of a task.
type Reply struct {
	JSON     json.RawMessage // fits the schema, which takes 4.0 for an integer, and passed Check
	Usage    Usage           // of all calls of the task
	Repaired bool            // whether the first reply was invalid
}
