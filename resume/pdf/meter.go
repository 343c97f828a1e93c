package pdf

import (
	"encoding/binary"
	"errors"
	"fmt"
	_ "unsafe" // for go:linkname

	_ "github.com/klippa-app/go-pdfium/webassembly" // holds pdfium
)

// pdfiumWasm is pdfium as go-pdfium embeds it, which it gives no access to.
//
//go:linkname pdfiumWasm github.com/klippa-app/go-pdfium/webassembly.pdfiumWasm
var pdfiumWasm []byte

// Names of what meter adds to a module.
const stopName = "stop" // a global; from when it is not 0, the module ends within a few rounds of its loops

// rounds is how many rounds of loops a module runs until it looks whether to stop, and lets Go's scheduler and collector
// do their work. Far less than a millisecond.
const rounds = 20_000

// Sections of a module, and instructions (WebAssembly 2.0, chapter 5).
const (
	sectionType, sectionImport, sectionFunction, sectionGlobal, sectionExport, sectionCode = 1, 2, 3, 6, 7, 10

	opUnreachable, opLoop, opIf, opEnd, opCall     = 0x00, 0x03, 0x04, 0x0b, 0x10
	opGlobalGet, opGlobalSet, opI32Const, opI32Sub = 0x23, 0x24, 0x41, 0x6b
	opI32Eqz, typeI32, blockEmpty                  = 0x45, 0x7f, 0x40
)

// meter changes a module so that it can be stopped. wazero can do that itself (WithCloseOnContextDone), by leaving compiled
// code in each round of each loop; that makes pdfium six times as slow. This counts rounds down instead, and leaves the
// code only when none are left: every loop begins with
//
//	left = left - 1; if left == 0 { look() }
//
// and look, a function added at the end, is
//
//	emscripten_notify_memory_growth(0); left = rounds; if stop != 0 { unreachable }
//
// where the call, which does nothing, is how Go gets the chance to stop the goroutine for its collector.
func meter(module []byte) ([]byte, error) {
	const header = 8 // magic and version
	if len(module) < header {
		return nil, errors.New("no WebAssembly")
	}
	m := metered{out: append(make([]byte, 0, len(module)+len(module)/16), module[:header]...)}
	for rest := (reader{data: module[header:]}); len(rest.data) > 0; {
		id := rest.byte()
		section := reader{data: rest.take(int(rest.u32()))}
		if rest.failed {
			return nil, errors.New("a section is cut off")
		}
		body, err := m.section(id, section)
		if err != nil {
			return nil, fmt.Errorf("section %d: %w", id, err)
		}
		m.out = append(m.out, id)
		m.out = appendSized(m.out, body)
	}
	return m.out, nil
}

// metered is what meter knows of a module while it goes through its sections.
type metered struct {
	out          []byte
	signature    uint32 // index of the type of look
	notify       uint32 // index of the function that does nothing
	found        bool   // notify
	imported     uint32 // functions
	look         uint32 // its index
	left, stop   uint32 // indices of globals
	globalImport uint32
}

// section is a section with what is added to it.
func (m *metered) section(id byte, r reader) ([]byte, error) {
	whole := r.data
	switch id {
	case sectionType:
		return appended(r, &m.signature, 0x60, 0, 0), nil // func [] -> []
	case sectionImport:
		m.imports(r)
		if !m.found || m.globalImport > 0 {
			return nil, errors.New("other imports than known")
		}
	case sectionFunction:
		body := appended(r, &m.look, binary.AppendUvarint(nil, uint64(m.signature))...)
		m.look += m.imported
		return body, nil
	case sectionGlobal:
		body := appended(r, &m.left, typeI32, 1, opI32Const, 1, opEnd)
		return appended(reader{data: body}, &m.stop, typeI32, 1, opI32Const, 0, opEnd), nil
	case sectionExport:
		const global = 3
		var index uint32
		entry := append([]byte{byte(len(stopName))}, stopName...)
		return appended(r, &index, binary.AppendUvarint(append(entry, global), uint64(m.stop))...), nil
	case sectionCode:
		return m.code(r)
	}
	return whole, nil
}

// imports counts the imported functions and finds the one that does nothing.
func (m *metered) imports(r reader) {
	const function, table, memory, global = 0, 1, 2, 3
	for range r.u32() {
		r.take(int(r.u32())) // of which module
		name := string(r.take(int(r.u32())))
		switch kind := r.byte(); kind {
		case function:
			if name == "emscripten_notify_memory_growth" {
				m.notify, m.found = m.imported, true
			}
			m.imported++
			r.u32()
		case global:
			m.globalImport++
			r.take(2)
		case table, memory:
			m.found = false // pdfium has its own
			return
		}
		if r.failed {
			m.found = false
			return
		}
	}
}

// code is the bodies of all functions, metered, and that of look.
func (m *metered) code(r reader) ([]byte, error) {
	n := r.u32()
	out := binary.AppendUvarint(make([]byte, 0, len(r.data)+len(r.data)/8), uint64(n)+1)
	check := m.check()
	var body []byte
	for i := range n {
		function := reader{data: r.take(int(r.u32()))}
		if r.failed {
			return nil, errors.New("a function is cut off")
		}
		var err error
		if body, err = meterBody(body[:0], function, check); err != nil {
			return nil, fmt.Errorf("function %d: %w", m.imported+i, err)
		}
		out = appendSized(out, body)
	}
	return appendSized(out, m.lookBody()), nil
}

// check is what every loop begins with.
func (m *metered) check() []byte {
	left := binary.AppendUvarint(nil, uint64(m.left))
	b := append([]byte{opGlobalGet}, left...)
	b = append(b, opI32Const, 1, opI32Sub, opGlobalSet)
	b = append(append(b, left...), opGlobalGet)
	b = append(append(b, left...), opI32Eqz, opIf, blockEmpty, opCall)
	return append(binary.AppendUvarint(b, uint64(m.look)), opEnd)
}

// lookBody is the function look.
func (m *metered) lookBody() []byte {
	b := []byte{0, opI32Const, 0, opCall} // no locals
	b = append(binary.AppendUvarint(b, uint64(m.notify)), opI32Const)
	b = append(appendSigned(b, rounds), opGlobalSet)
	b = append(binary.AppendUvarint(b, uint64(m.left)), opGlobalGet)
	b = append(binary.AppendUvarint(b, uint64(m.stop)), opIf, blockEmpty, opUnreachable, opEnd, opEnd)
	return b
}

// meterBody appends a function's locals and instructions, with check at the beginning of each loop.
func meterBody(out []byte, r reader, check []byte) ([]byte, error) {
	whole := r.data
	copied := 0
	for range r.u32() { // locals
		r.u32()
		r.byte()
	}
	for len(r.data) > 0 && !r.failed {
		op := r.byte()
		if err := r.immediates(op); err != nil {
			return nil, err
		}
		if op == opLoop {
			at := len(whole) - len(r.data)
			out = append(append(out, whole[copied:at]...), check...)
			copied = at
		}
	}
	if r.failed {
		return nil, errors.New("an instruction is cut off")
	}
	return append(out, whole[copied:]...), nil
}

// appended is a section that is a list, with one more entry, whose index it sets.
func appended(r reader, index *uint32, entry ...byte) []byte {
	*index = r.u32()
	body := binary.AppendUvarint(nil, uint64(*index)+1)
	return append(append(body, r.data...), entry...)
}

func appendSized(out, body []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(body))), body...)
}

// appendSigned appends a signed LEB128.
func appendSigned(out []byte, value int64) []byte {
	for {
		b := byte(value & 0x7f)
		value >>= 7
		if value == 0 && b&0x40 == 0 || value == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}
