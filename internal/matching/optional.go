package matching

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Optional is a value that may be unknown. The zero Optional is unknown. Real data sets leave most cells empty, and a
// zero would make a claim ("works for free", "rated worst"), so unknown stays unknown from the file to the response.
type Optional[T any] struct {
	Value T
	Known bool
}

// Some returns a known value.
func Some[T any](v T) Optional[T] { return Optional[T]{Value: v, Known: true} }

// Or returns the value if it is known, and fallback otherwise.
func (o Optional[T]) Or(fallback T) T {
	if o.Known {
		return o.Value
	}
	return fallback
}

// IsZero reports whether the value is unknown; encoding/json leaves such a field out under the omitzero option.
func (o Optional[T]) IsZero() bool { return !o.Known }

// String returns the value as fmt prints it, or "unknown".
func (o Optional[T]) String() string {
	if !o.Known {
		return "unknown"
	}
	return fmt.Sprint(o.Value)
}

// MarshalJSON returns the value, or null if it is unknown.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.Known {
		return []byte("null"), nil
	}
	if v, ok := any(o.Value).(float64); ok { // the most frequent type: without a nested call of encoding/json
		if size := math.Abs(v); size == 0 || size >= 1e-6 && size < 1e21 { // other numbers have an exponent
			return strconv.AppendFloat(nil, v, 'f', -1, 64), nil
		}
	}
	return json.Marshal(o.Value)
}

// UnmarshalJSON reads a value; null leaves it unknown.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	*o = Optional[T]{}
	if string(data) == "null" {
		return nil
	}
	if number, ok := any(&o.Value).(*float64); ok { // as in MarshalJSON
		if v, err := strconv.ParseFloat(string(data), 64); err == nil {
			*number = v
			o.Known = true
			return nil
		}
	}
	if err := json.Unmarshal(data, &o.Value); err != nil {
		return err
	}
	o.Known = true
	return nil
}
