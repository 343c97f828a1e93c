package records

import (
	"context"

	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
)

// Mappings finds the mapping files of the server.
type Mappings interface {
	// Open returns the mapping with a name, for whole records or for patches. The error has matching.CodeInvalid if there
	// is no such mapping, or if it doesn't fit lines.
	Open(name string, isPatch bool) (Mapping, error)
}

// A Mapping reads records in the shape of a client's own data. It is not safe for concurrent use.
type Mapping interface {
	// Read reads a valid JSON text with amounts in a currency. line is its number in the request.
	Read(object []byte, line int, currency string) (Mapped, error)
}

// Mapped is a record that was read with a mapping.
type Mapped struct {
	Record  freelancers.Record
	Skipped string // why the line is neither used nor refused; "" if it is
	Faults  []matching.FieldError
}

// lineSkipped is the outcome of lines that a mapping leaves out.
const lineSkipped = "skipped"

// openMapping opens the mapping that the query names, if it names one.
func (b *bulk) openMapping(parameters map[string]string, faults *validate.Faults) error {
	name, ok := parameters[parameterMapping]
	if !ok {
		return nil
	}
	if b.reading.lenient {
		faults.Add(parameterLenient, "contradiction",
			"lenient has no use with mapping, which always parses values as those of files.")
	}
	if faults.Any() {
		return nil
	}

	var err error
	b.mapping, err = b.Mappings.Open(name, b.kind == freelancers.Patch)
	return err
}

// parseMapped parses a line as the mapping says. The reason is why the mapping leaves it out, or "".
func (b *bulk) parseMapped(
	ctx context.Context, line []byte, faults *validate.Faults,
) (record freelancers.Record, skipped string, err error) {
	currency, err := b.Service.AmountsIn(ctx, b.reading.currency)
	if err != nil {
		return record, "", err
	}
	mapped, err := b.mapping.Read(line, b.line, currency)
	if err != nil {
		return record, "", err
	}

	faults.AddAll(mapped.Faults)
	record = mapped.Record
	if record.ID != "" && !freelancers.ValidID(record.ID) {
		faults.Add("id", "invalid_value", "%s", freelancers.InvalidID(record.ID))
	}

	return record, mapped.Skipped, nil
}
