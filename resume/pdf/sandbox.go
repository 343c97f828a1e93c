package pdf

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf16"

	"github.com/tetratelabs/wazero/api"
)

// A function is one of pdfium's public functions (fpdfview.h, fpdf_text.h, fpdf_edit.h, fpdf_doc.h), by its
// name.
type function string

const (
	allocate          function = "malloc"
	release           function = "free"
	initialize        function = "FPDF_InitLibrary"
	loadDocument      function = "FPDF_LoadMemDocument"
	lastError         function = "FPDF_GetLastError"
	countPages        function = "FPDF_GetPageCount"
	loadPage          function = "FPDF_LoadPage"
	closePage         function = "FPDF_ClosePage"
	formType          function = "FPDF_GetFormType"
	flattenPage       function = "FPDFPage_Flatten"
	pageBox           function = "FPDF_GetPageBoundingBox"
	pageRotation      function = "FPDFPage_GetRotation"
	loadText          function = "FPDFText_LoadPage"
	closeText         function = "FPDFText_ClosePage"
	countCharacters   function = "FPDFText_CountChars"
	copyText          function = "FPDFText_GetText"
	characterUnicode  function = "FPDFText_GetUnicode"
	characterBox      function = "FPDFText_GetLooseCharBox"
	characterTightBox function = "FPDFText_GetCharBox"
	characterObject   function = "FPDFText_GetTextObject"
	characterMatrix   function = "FPDFText_GetMatrix"
	characterOrigin   function = "FPDFText_GetCharOrigin"
	characterFont     function = "FPDFText_GetFontInfo"
	fontSize          function = "FPDFText_GetFontSize"
	textFont          function = "FPDFTextObj_GetFont"
	countObjects      function = "FPDFPage_CountObjects"
	objectAt          function = "FPDFPage_GetObject"
	objectType        function = "FPDFPageObj_GetType"
	objectBounds      function = "FPDFPageObj_GetBounds"
	objectMatrix      function = "FPDFPageObj_GetMatrix"
	objectFill        function = "FPDFPageObj_GetFillColor"
	objectStroke      function = "FPDFPageObj_GetStrokeColor"
	renderMode        function = "FPDFTextObj_GetTextRenderMode"
	pathMode          function = "FPDFPath_GetDrawMode"
	countSegments     function = "FPDFPath_CountSegments"
	countFormObjects  function = "FPDFFormObj_CountObjects"
	formObjectAt      function = "FPDFFormObj_GetObject"
	nextLink          function = "FPDFLink_Enumerate"
	linkRectangle     function = "FPDFLink_GetAnnotRect"
	linkAction        function = "FPDFLink_GetAction"
	actionType        function = "FPDFAction_GetType"
	actionURI         function = "FPDFAction_GetURIPath"
	pageWidth         function = "FPDF_GetPageWidthF"
	pageHeight        function = "FPDF_GetPageHeightF"
	createBitmap      function = "FPDFBitmap_CreateEx"
	fillBitmap        function = "FPDFBitmap_FillRect"
	renderPage        function = "FPDF_RenderPageBitmap"
	bitmapBuffer      function = "FPDFBitmap_GetBuffer"
	bitmapStride      function = "FPDFBitmap_GetStride"
	destroyBitmap     function = "FPDFBitmap_Destroy"
)

// scratchSize is the size of the memory in which pdfium's functions leave their results, in bytes.
const scratchSize = 4096

// An address is a place in the memory of a sandbox. pdfium's handles are addresses too. 0 is no address.
type address uint32

// A sandbox runs pdfium on one document. Its methods call pdfium's C functions directly, because the methods of
// go-pdfium allocate memory several times for each character. After the first failed call, all further calls do nothing
// and return 0; err keeps the failure. A sandbox is not safe for concurrent use.
type sandbox struct {
	module    api.Module
	memory    *memory
	invoke    func(f api.Function, stack []uint64) error // within the deadline of the document
	functions map[function]api.Function                  // those called so far
	scratch   address
	stack     [8]uint64 // arguments and result of a call
	err       error
}

// close frees the sandbox and its memory.
func (s *sandbox) close() {
	if s.module != nil {
		s.module.Close(context.Background())
	}
	if s.memory != nil {
		s.memory.release()
	}
}

// call calls a function of pdfium and returns its result.
func (s *sandbox) call(f function, arguments ...uint64) uint64 {
	if s.err != nil {
		return 0
	}
	exported := s.functions[f]
	if exported == nil {
		if exported = s.module.ExportedFunction(string(f)); exported == nil {
			s.err = fmt.Errorf("pdfium has no function %s", f)
			return 0
		}
		s.functions[f] = exported
	}
	s.stack[0] = 0
	copy(s.stack[:], arguments)
	if err := s.invoke(exported, s.stack[:]); err != nil {
		s.err = fmt.Errorf("%s: %w", f, err)
		return 0
	}
	return s.stack[0]
}

// handle calls a function whose result is an address.
func (s *sandbox) handle(f function, arguments ...uint64) address {
	return address(s.call(f, arguments...))
}

// integer calls a function whose result is an int.
func (s *sandbox) integer(f function, arguments ...uint64) int {
	return int(int32(s.call(f, arguments...)))
}

// put copies data into newly allocated memory of the sandbox. It returns 0 if there is not enough.
func (s *sandbox) put(data []byte) address {
	to := s.handle(allocate, uint64(max(len(data), 1)))
	if to != 0 && !s.module.Memory().Write(uint32(to), data) {
		return 0
	}
	return to
}

// out returns the address of the i-th 8 bytes of scratch memory.
func (s *sandbox) out(i int) uint64 { return uint64(s.scratch) + uint64(8*i) }

// bytes returns n bytes at an address, or nil if they are outside the memory. They are valid until the next call.
func (s *sandbox) bytes(from address, n int) []byte {
	data, _ := s.module.Memory().Read(uint32(from), uint32(max(n, 0)))
	return data
}

// float returns the i-th of the 32-bit numbers that a function wrote to the start of scratch memory.
func (s *sandbox) float(i int) float64 {
	bits, _ := s.module.Memory().ReadUint32Le(uint32(s.scratch) + uint32(4*i))
	return float64(math.Float32frombits(bits))
}

// floatAt returns the 32-bit number that a function wrote to out(i).
func (s *sandbox) floatAt(i int) float64 { return s.float(2 * i) }

// doubleAt returns the 64-bit number that a function wrote to out(i).
func (s *sandbox) doubleAt(i int) float64 {
	value, _ := s.module.Memory().ReadFloat64Le(uint32(s.scratch) + uint32(8*i))
	return value
}

// uintAt returns the unsigned int that a function wrote to out(i).
func (s *sandbox) uintAt(i int) uint32 {
	value, _ := s.module.Memory().ReadUint32Le(uint32(s.scratch) + uint32(8*i))
	return value
}

// text returns what a function wrote to out(from): at most n bytes, up to the first zero.
func (s *sandbox) text(from, n int) string {
	data := s.bytes(s.scratch+address(8*from), min(n, scratchSize-8*from))
	if end := bytes.IndexByte(data, 0); end >= 0 {
		data = data[:end]
	}
	return string(data)
}

// utf16 decodes n units of UTF-16 at an address.
func (s *sandbox) utf16(from address, n int) []rune {
	data := s.bytes(from, 2*n)
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return utf16.Decode(units)
}
