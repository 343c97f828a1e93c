package pdf

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium"
	"github.com/tetratelabs/wazero/api"
)

// function is a function of pdfium's public interface (fpdfview.h, fpdf_text.h, fpdf_edit.h, fpdf_doc.h).
type function uint8

const (
	allocate function = iota
	release
	loadDocument
	closeDocument
	lastError
	countPages
	loadPage
	closePage
	pageBox
	loadText
	closeText
	countCharacters
	copyText
	characterUnicode
	characterBox
	characterTightBox
	characterObject
	characterMatrix
	characterOrigin
	characterFont
	fontSize
	textFont
	countObjects
	objectAt
	objectType
	objectBounds
	objectMatrix
	objectFill
	objectStroke
	renderMode
	pathMode
	countSegments
	countFormObjects
	formObjectAt
	nextLink
	linkRectangle
	linkAction
	actionType
	actionURI
	functionCount
)

func functionNames() [functionCount]string {
	return [functionCount]string{
		allocate:          "malloc",
		release:           "free",
		loadDocument:      "FPDF_LoadMemDocument",
		closeDocument:     "FPDF_CloseDocument",
		lastError:         "FPDF_GetLastError",
		countPages:        "FPDF_GetPageCount",
		loadPage:          "FPDF_LoadPage",
		closePage:         "FPDF_ClosePage",
		pageBox:           "FPDF_GetPageBoundingBox",
		loadText:          "FPDFText_LoadPage",
		closeText:         "FPDFText_ClosePage",
		countCharacters:   "FPDFText_CountChars",
		copyText:          "FPDFText_GetText",
		characterUnicode:  "FPDFText_GetUnicode",
		characterBox:      "FPDFText_GetLooseCharBox",
		characterTightBox: "FPDFText_GetCharBox",
		characterObject:   "FPDFText_GetTextObject",
		characterMatrix:   "FPDFText_GetMatrix",
		characterOrigin:   "FPDFText_GetCharOrigin",
		characterFont:     "FPDFText_GetFontInfo",
		fontSize:          "FPDFText_GetFontSize",
		textFont:          "FPDFTextObj_GetFont",
		countObjects:      "FPDFPage_CountObjects",
		objectAt:          "FPDFPage_GetObject",
		objectType:        "FPDFPageObj_GetType",
		objectBounds:      "FPDFPageObj_GetBounds",
		objectMatrix:      "FPDFPageObj_GetMatrix",
		objectFill:        "FPDFPageObj_GetFillColor",
		objectStroke:      "FPDFPageObj_GetStrokeColor",
		renderMode:        "FPDFTextObj_GetTextRenderMode",
		pathMode:          "FPDFPath_GetDrawMode",
		countSegments:     "FPDFPath_CountSegments",
		countFormObjects:  "FPDFFormObj_CountObjects",
		formObjectAt:      "FPDFFormObj_GetObject",
		nextLink:          "FPDFLink_Enumerate",
		linkRectangle:     "FPDFLink_GetAnnotRect",
		linkAction:        "FPDFLink_GetAction",
		actionType:        "FPDFAction_GetType",
		actionURI:         "FPDFAction_GetURIPath",
	}
}

// scratchSize is how many bytes of the sandbox are kept for what its functions write, in bytes.
const scratchSize = 4096

// address is a place in the memory of the sandbox, which is what pdfium's handles are too. 0 is none.
type address uint32

// library is pdfium in one sandbox. It calls pdfium's own functions instead of go-pdfium's: those allocate and free
// several times for each character, which made a page ten times as slow. After a failure it does nothing any more,
// answers 0, and keeps the failure in err.
type library struct {
	instance  pdfium.Pdfium
	module    api.Module
	functions [functionCount]api.Function
	stop      api.MutableGlobal
	scratch   address
	size      uint32 // of its memory at first, in bytes
	stack     [8]uint64
	err       error
}

// newLibrary takes hold of the sandbox of an instance.
func newLibrary(instance pdfium.Pdfium) (*library, error) {
	// The type is internal to go-pdfium, its field Module is not.
	value := reflect.Indirect(reflect.ValueOf(instance.GetImplementation())).FieldByName("Module")
	if !value.IsValid() {
		return nil, errors.New("pdfium gives no access to its sandbox")
	}
	module, ok := value.Interface().(api.Module)
	if !ok {
		return nil, errors.New("pdfium's sandbox is of another kind")
	}
	l := &library{instance: instance, module: module}
	for i, name := range functionNames() {
		if l.functions[i] = module.ExportedFunction(name); l.functions[i] == nil {
			return nil, fmt.Errorf("pdfium lacks %s", name)
		}
	}
	if l.stop, ok = module.ExportedGlobal(stopName).(api.MutableGlobal); !ok {
		return nil, errors.New("pdfium cannot be stopped")
	}
	l.scratch = address(l.call(allocate, scratchSize))
	if l.scratch == 0 {
		return nil, errors.Join(errors.New("pdfium has no memory"), l.err)
	}
	l.size = module.Memory().Size()
	return l, nil
}

// stopAt stops what the library does when ctx ends, for good. What it answers ends that, and tells whether it happened.
func (l *library) stopAt(ctx context.Context) (unwatch func() (stopped bool)) {
	done := make(chan struct{})
	unregister := context.AfterFunc(ctx, func() {
		defer close(done)
		l.stop.Set(1)
	})
	return func() bool {
		if unregister() {
			return false
		}
		<-done
		return true
	}
}

// call is what f answers.
func (l *library) call(f function, arguments ...uint64) uint64 {
	if l.err != nil {
		return 0
	}
	l.stack[0] = 0
	copy(l.stack[:], arguments)
	if err := l.functions[f].CallWithStack(context.Background(), l.stack[:]); err != nil {
		l.err = fmt.Errorf("%s: %w", functionNames()[f], err)
		return 0
	}
	return l.stack[0]
}

// handle is call for functions that answer an address.
func (l *library) handle(f function, arguments ...uint64) address {
	return address(l.call(f, arguments...))
}

// integer is call for functions that answer an int.
func (l *library) integer(f function, arguments ...uint64) int {
	return int(int32(l.call(f, arguments...)))
}

// put copies data into memory that the caller releases. It answers 0 where there is not enough.
func (l *library) put(data []byte) address {
	to := l.handle(allocate, uint64(max(len(data), 1)))
	if to != 0 && !l.module.Memory().Write(uint32(to), data) {
		return 0
	}
	return to
}

// out is the address of the i-th 8 bytes of scratch memory.
func (l *library) out(i int) uint64 { return uint64(l.scratch) + uint64(8*i) }

// bytes are n bytes at an address, nil where the sandbox has none there. They are valid until the next call.
func (l *library) bytes(from address, n int) []byte {
	data, _ := l.module.Memory().Read(uint32(from), uint32(max(n, 0)))
	return data
}

// float is the 32-bit number at index i of scratch memory.
func (l *library) float(i int) float64 {
	bits, _ := l.module.Memory().ReadUint32Le(uint32(l.scratch) + uint32(4*i))
	return float64(math.Float32frombits(bits))
}

// floatAt is the 32-bit number that function wrote to out(i).
func (l *library) floatAt(i int) float64 { return l.float(2 * i) }

// doubleAt is the 64-bit number that a function wrote to out(i).
func (l *library) doubleAt(i int) float64 {
	value, _ := l.module.Memory().ReadFloat64Le(uint32(l.scratch) + uint32(8*i))
	return value
}

// uintAt is the unsigned int that a function wrote to out(i).
func (l *library) uintAt(i int) uint32 {
	value, _ := l.module.Memory().ReadUint32Le(uint32(l.scratch) + uint32(8*i))
	return value
}

// text is what a function wrote to out(from): at most n bytes, up to the first zero.
func (l *library) text(from, n int) string {
	data := l.bytes(l.scratch+address(8*from), min(n, scratchSize-8*from))
	if end := bytes.IndexByte(data, 0); end >= 0 {
		data = data[:end]
	}
	return string(data)
}

// utf16 are n units of UTF-16 at an address.
func (l *library) utf16(from address, n int) []rune {
	data := l.bytes(from, 2*n)
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return utf16.Decode(units)
}
