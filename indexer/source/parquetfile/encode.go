package parquetfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/charset"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// parquetNode is a column of a Parquet file, or a group of columns.
type parquetNode struct {
	name       string
	path       string // names from the root, joined with dots
	isRepeated bool
	isWrapper  bool // a group that only holds a list, or the elements of one; its only child stands for it
	definition int  // the definition level at which the value is not null; for a repeated node, at which it has elements
	repetition int  // the repetition level of its elements
	children   []*parquetNode
	leaves     int // columns in it
	text       parquetAppender
	binary     []string // of the root: columns whose values are not text
}

// newParquetNode converts a part of a schema. leaves counts the columns so far.
func newParquetNode(from parquet.Node, name string, parent parquetNode, leaves *int) *parquetNode {
	n := &parquetNode{
		name: name, path: strings.TrimPrefix(parent.path+"."+name, "."), definition: parent.definition,
		repetition: parent.repetition,
	}

	if name == "" {
		n.path = ""
	}

	// Optional and repeated nodes add a definition level each, and repeated ones a repetition level as well.
	if n.isRepeated = from.Repeated(); n.isRepeated {
		n.repetition++
	}

	if !from.Required() {
		n.definition++
	}

	if from.Leaf() {
		n.leaves = 1
		*leaves++
		if n.text = parquetText(from.Type()); n.text == nil {
			n.binary = []string{n.path}
		}
		return n
	}

	fields := from.Fields()
	isList := isLogical[*format.ListType](from) && len(fields) == 1 && fields[0].Repeated()

	for _, field := range fields {
		child := newParquetNode(field, field.Name(), *n, leaves)
		n.children = append(n.children, child)
		n.leaves += child.leaves
		n.binary = append(n.binary, child.binary...)
	}

	if isList { // name: {list: [{element: …}, …]} is written as name: […, …]
		n.isWrapper = true
		list := n.children[0]
		list.isWrapper = len(list.children) == 1 && slices.Contains([]string{"list", "bag"}, list.name)
	}

	return n
}

func isLogical[T format.LogicalTypeValue](n parquet.Node) bool {
	t := n.Type().LogicalType()
	if t == nil {
		return false
	}
	_, ok := t.Value.(T)
	return ok
}

// parquetEncoder writes a row as JSON.
type parquetEncoder struct {
	object   []byte
	warnings []rows.Fault
}

var errLongParquetRow = errors.New("the row is larger than 4 MiB")

// value appends the value of a node. columns has the values of its columns.
func (e *parquetEncoder) value(n *parquetNode, columns [][]parquet.Value) error {
	switch {
	case len(e.object) > table.MaxRow:
		return errLongParquetRow
	case len(columns) == 0 || len(columns[0]) == 0 || columns[0][0].DefinitionLevel() < n.definition:
		e.object = append(e.object, "null"...)
		return nil
	case n.isRepeated:
		return e.list(n, columns)
	}
	return e.single(n, columns)
}

// list appends the elements of a repeated node.
func (e *parquetEncoder) list(n *parquetNode, columns [][]parquet.Value) error {
	e.object = append(e.object, '[')
	rest := slices.Clone(columns)
	for isFirst := true; len(rest[0]) > 0; isFirst = false {
		if !isFirst {
			e.object = append(e.object, ',')
		}

		// The columns of a list are cut at the same place, where the next element repeats this node.
		element := make([][]parquet.Value, len(rest))
		for i, values := range rest {
			if len(values) == 0 {
				return errors.New("the columns of a list have different lengths")
			}
			end := 1
			for end < len(values) && values[end].RepetitionLevel() > n.repetition {
				end++
			}

			element[i] = values[:end]
			rest[i] = values[end:]
		}

		if err := e.single(n, element); err != nil {
			return err
		}
	}

	e.object = append(e.object, ']')
	return nil
}

// single appends a value that is not null.
func (e *parquetEncoder) single(n *parquetNode, columns [][]parquet.Value) error {
	switch {
	case len(e.object) > table.MaxRow:
		return errLongParquetRow
	case n.isWrapper:
		return e.value(n.children[0], columns)
	case n.children == nil:
		if n.text == nil {
			e.object = append(e.object, "null"...)
		} else {
			n.text(e, n, columns[0][0])
		}
		return nil
	}

	e.object = append(e.object, '{')
	isFirst := true
	for _, child := range n.children {
		own := columns[:child.leaves]
		columns = columns[child.leaves:]

		if !isFirst {
			e.object = append(e.object, ',')
		}
		isFirst = false
		e.string(child.name)
		e.object = append(e.object, ':')
		if err := e.value(child, own); err != nil {
			return err
		}
	}

	e.object = append(e.object, '}')
	return nil
}

// string appends a text.
func (e *parquetEncoder) string(text string) {
	isPlain := true
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			isPlain = false
			break
		}
	}
	if isPlain {
		e.object = append(append(append(e.object, '"'), text...), '"')
		return
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		quoted = []byte("null") // impossible for a string
	}
	e.object = append(e.object, quoted...)
}

// bytes appends a text that should be UTF-8.
func (e *parquetEncoder) bytes(n *parquetNode, text []byte) {
	if clean, remark := (charset.Decoder{}).Decode(text); remark == charset.RemarkNotUTF8 || remark == charset.RemarkNUL {
		e.warnings = append(e.warnings,
			rows.Fault{Column: n.path, Value: value.Truncate(string(clean), table.MaxValue), Reason: remark})
		text = clean
	}
	e.string(string(text))
}

// float appends a number. NaN and infinity are unknown values.
func (e *parquetEncoder) float(x float64, bits int) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		e.object = append(e.object, "null"...)
		return
	}
	e.object = strconv.AppendFloat(e.object, x, 'f', -1, bits)
}

// time appends a time in the layout of ISO 8601.
func (e *parquetEncoder) time(t time.Time, layout string) {
	e.object = append(e.object, '"')
	e.object = t.UTC().AppendFormat(e.object, layout)
	e.object = append(e.object, '"')
}

// A parquetAppender appends the text of a value to the current object.
type parquetAppender func(e *parquetEncoder, n *parquetNode, v parquet.Value)

// parquetText returns a function that appends the values of a column, or nil if they are not text.
func parquetText(t parquet.Type) parquetAppender {
	if logical := t.LogicalType(); logical != nil {
		if appender, ok := logicalText(logical); ok {
			return appender
		}
	}
	return physicalText(t.Kind())
}

// logicalText returns a function that appends the values of a logical type, which says what the stored numbers or bytes
// mean, or nil if they are not text. ok is false if they are appended as they are stored.
func logicalText(t *format.LogicalType) (appender parquetAppender, ok bool) {
	switch logical := t.Value.(type) {
	case *format.DecimalType:
		scale := int(logical.Scale)
		return func(e *parquetEncoder, _ *parquetNode, v parquet.Value) {
			e.object = append(e.object, decimalText(v, scale)...)
		}, true

	case *format.DateType: // in days since 1970
		return func(e *parquetEncoder, _ *parquetNode, v parquet.Value) {
			e.time(time.Unix(int64(v.Int32())*secondsPerDay, 0), time.DateOnly)
		}, true

	case *format.TimestampType:
		unit := logical.Unit.Value.Duration()
		return func(e *parquetEncoder, _ *parquetNode, v parquet.Value) {
			// Nanoseconds since 1970 would overflow for dates before 1678 and after 2262.
			perSecond := int64(time.Second / unit)
			seconds := v.Int64() / perSecond
			rest := v.Int64() % perSecond
			e.time(time.Unix(seconds, rest*int64(unit)), time.RFC3339Nano)
		}, true

	case *format.UUIDType:
		return (*parquetEncoder).uuid, true

	case *format.IntType: // unsigned numbers are stored in columns of signed ones
		switch {
		case logical.IsSigned:
			return nil, false
		case logical.BitWidth == 64:
			return func(e *parquetEncoder, _ *parquetNode, v parquet.Value) {
				e.object = strconv.AppendUint(e.object, v.Uint64(), 10)
			}, true
		default:
			return func(e *parquetEncoder, _ *parquetNode, v parquet.Value) {
				e.object = strconv.AppendUint(e.object, uint64(v.Uint32()), 10)
			}, true
		}

	case *format.BsonType, *format.GeometryType, *format.GeographyType:
		return nil, true

	default:
		return nil, false
	}
}

// uuid appends a UUID, or null if the value is none.
func (e *parquetEncoder) uuid(_ *parquetNode, v parquet.Value) {
	b := v.ByteArray()
	if len(b) != 16 {
		e.object = append(e.object, "null"...)
		return
	}
	e.object = fmt.Appendf(e.object, `"%x-%x-%x-%x-%x"`, b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

const secondsPerDay = 24 * 60 * 60

// physicalText returns a function that appends the values of a physical type as they are stored, or nil if they are not
// text.
func physicalText(kind parquet.Kind) parquetAppender {
	switch kind {
	case parquet.Boolean:
		return func(e *parquetEncoder, _ *parquetNode, v parquet.Value) {
			e.object = strconv.AppendBool(e.object, v.Boolean())
		}
	case parquet.Int32:
		return func(e *parquetEncoder, _ *parquetNode, v parquet.Value) {
			e.object = strconv.AppendInt(e.object, int64(v.Int32()), 10)
		}
	case parquet.Int64:
		return func(e *parquetEncoder, _ *parquetNode, v parquet.Value) {
			e.object = strconv.AppendInt(e.object, v.Int64(), 10)
		}

	// An old form of timestamps: a Julian day and the nanoseconds of that day.
	case parquet.Int96:
		return func(e *parquetEncoder, _ *parquetNode, v parquet.Value) {
			const unixEpoch = 2440588 // the Julian day of 1970-01-01
			words := v.Int96()
			days := int64(words[2]) - unixEpoch
			nanoseconds := int64(words[1])<<32 | int64(words[0])
			e.time(time.Unix(days*secondsPerDay, nanoseconds), time.RFC3339Nano)
		}

	case parquet.Float:
		return func(e *parquetEncoder, _ *parquetNode, v parquet.Value) { e.float(float64(v.Float()), 32) }
	case parquet.Double:
		return func(e *parquetEncoder, _ *parquetNode, v parquet.Value) { e.float(v.Double(), 64) }
	case parquet.ByteArray:
		return func(e *parquetEncoder, n *parquetNode, v parquet.Value) { e.bytes(n, v.ByteArray()) }
	default:
		return nil
	}
}

// decimalText formats a decimal number, which is stored as an integer.
func decimalText(v parquet.Value, scale int) string {
	unscaled := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		unscaled.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		unscaled.SetInt64(v.Int64())
	default: // two's complement, the most significant byte first
		b := v.ByteArray()
		if unscaled.SetBytes(b); len(b) > 0 && b[0] >= 0x80 {
			unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(len(b))*8))
		}
	}

	// A damaged file may declare a scale that asks for gigabytes of zeros.
	if scale <= 0 || scale > 100 {
		return unscaled.String()
	}

	sign := ""
	if unscaled.Sign() < 0 {
		sign = "-"
		unscaled.Neg(unscaled)
	}

	digits := unscaled.String()
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}

	whole := digits[:len(digits)-scale]
	fraction := strings.TrimRight(digits[len(digits)-scale:], "0")
	if fraction == "" {
		return sign + whole
	}

	return sign + whole + "." + fraction
}
