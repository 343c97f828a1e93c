package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Raw returns the cells of a row as they are in the file. It is valid until the next row is read, so that rows can be
// read without copying cells that nobody asks for.
type Raw interface{ Record() Record }

// A Record is the raw cells of a row in the order of its columns. In JSON it is an object, in which the header of each
// column is unique.
type Record []Cell

// A Cell is one cell of a record.
type Cell struct {
	Header string
	Value  string
	// Missing means that the row ended before this cell. In JSON, the value is null.
	Missing bool
}

// MarshalJSON implements json.Marshaler.
func (r Record) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteByte('{')

	// A map would sort the columns; a record keeps the order of its file.
	for i, cell := range r {
		if i > 0 {
			out.WriteByte(',')
		}

		if err := encoder.Encode(cell.Header); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		var value any = cell.Value

		if cell.Missing {
			value = nil
		}

		// Encode adds a line feed, which json.Marshal removes from the result of this method.
		if err := encoder.Encode(value); err != nil {
			return nil, err
		}
	}

	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON implements json.Unmarshaler. A value that is not text keeps its JSON, such as 40 or ["Go","SQL"].
func (r *Record) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	start, err := decoder.Token()
	if err != nil {
		return err
	}
	if start != json.Delim('{') {
		return errors.New("a record must be a JSON object")
	}

	*r = nil
	seen := make(map[string]bool)

	// Tokens keep the order of the columns and reveal a repeated one, which decoding into a map would drop.
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		cell := Cell{Header: key.(string)}
		if seen[cell.Header] {
			return fmt.Errorf("the record has the column %q twice", cell.Header)
		}

		seen[cell.Header] = true
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return err
		}

		// Numbers keep their digits: parsing 1.50 or a long id as a float would change it.
		switch {
		case raw[0] == '"':
			err = json.Unmarshal(raw, &cell.Value)
		case string(raw) == "null":
			cell.Missing = true
		default:
			cell.Value = string(raw)
		}

		if err != nil {
			return err
		}
		*r = append(*r, cell)
	}

	return nil
}
