package source

import (
	"cmp"
	"unicode/utf8"

	"github.com/freelancer-matching/service/indexer/source/mappingfile"
)

// withMapping returns the options with those of a mapping file that are not set.
func (o Options) withMapping(file *mappingfile.File) Options {
	if o.Delimiter == 0 && file.Delimiter != "" {
		o.Delimiter, _ = utf8.DecodeRuneInString(file.Delimiter)
	}
	o.Encoding = cmp.Or(o.Encoding, file.Encoding)
	o.SkipLines = cmp.Or(o.SkipLines, file.SkipLines)
	o.NoHeader = o.NoHeader || file.NoHeader
	o.Sheet = cmp.Or(o.Sheet, file.Sheet)
	o.JSONPath = cmp.Or(o.JSONPath, file.JSONPath)
	if len(o.ID) == 0 {
		o.ID = file.ID
	}
	o.IDPrefix = cmp.Or(o.IDPrefix, file.IDPrefix)
	o.Where = cmp.Or(o.Where, file.Where)
	return o
}

// Mapping returns how the columns of the file are used, in a form that reads the file in the same way again.
func (f *File) Mapping() mappingfile.File {
	o := f.options
	file := mappingfile.File{
		File: f.in.Name, Encoding: o.Encoding, SkipLines: o.SkipLines, NoHeader: o.NoHeader,
		Sheet: o.Sheet, JSONPath: o.JSONPath, ID: o.ID, IDPrefix: o.IDPrefix, Where: o.Where,
		Columns: f.builder.Mapping.FileColumns(f.builder.Headers),
	}
	if o.Delimiter != 0 {
		file.Delimiter = string(o.Delimiter)
	}
	return file
}

// Options returns options that read the file in the same way again, without recognizing its columns again.
func (f *File) Options() Options {
	o := f.options
	file := f.Mapping()
	o.mapping = &file
	o.isMapped = true
	return o
}
