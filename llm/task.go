package llm

import "encoding/json"

// Task is something for a model to do: to read data, and to reply with one JSON object of a given form.
//
// What somebody else wrote goes into Data and nowhere else. Name, Instructions, Request, Schema and the labels are the
// program's own words.
type Task struct {
	Name         string // of the prompt with its version: "interview-questions@2". For logs, and sent; letters, digits, - _ . @
	Instructions string // who the model is and by which rules it works; the system message
	Data         []Datum
	Request      string          // what to do with the data
	Schema       json.RawMessage // of the reply: an object, every object in it closed (additionalProperties false)
	MaxTokens    int             // of the reply, those that a model thinks with included; 0: 1024
	Account      string          // whose tokens these are; "": nobody's, no Budget is asked
	// Check is what a schema cannot say: ids that exist, quotations that occur. Ask gives it the whole reply, Stream each
	// element, after the schema. The text of its error goes to the model for the repair, and to nobody else. nil: no more.
	Check func(reply json.RawMessage) error
}

// MaxDatum is how many characters of a Datum are sent where it does not say.
const MaxDatum = 8000

// Datum is a text that may be hostile. It is sent between delimiters that cannot be guessed, other ones for each task, in
// Unicode's form NFKC, without control, zero-width, bidirectional and tag characters and whatever else cannot be seen.
type Datum struct {
	Label string // what it is: "answer", "project description"; letters, digits, blanks, - and _
	Text  string
	Limit int // characters that are sent; the model is told where a text was longer. 0: MaxDatum
}

// Reply is what a model made of a task.
type Reply struct {
	JSON     json.RawMessage // fits the task's schema, to which 4.0 is an integer, and passed its check
	Usage    Usage           // of all calls of the task
	Repaired bool            // the first reply did not fit
}
