// Package source reads freelancers from files as they are found: CSV with any delimiter, NDJSON, JSON, XLSX and
// Parquet, each optionally compressed with gzip, zstd, bzip2, xz or zip. It detects the format and the encoding from
// the content, not from the name.
//
// [Open] reads the beginning of a file and maps its columns to the fields of a freelancer by their headers;
// [File.Columns] returns the mapping. [File.Rows] then yields one [Row] after another: a freelancer, or the reasons why
// the row can't be one. Values that can't be read with certainty stay unknown and are reported as warnings.
//
// Bytes take this way: package input unpacks and decodes them; csvfile, jsonfile, workbook, parquetfile or deadletter
// turn them into records of package table; columns maps the columns of a table by their headers (package headers),
// their values, or a mappingfile; and build turns records into rows.
//
// Memory is bounded. Rows are streamed; a cell may have 1 MiB and a row 4 MiB. Only the compressed parts of a
// workbook are held in memory, up to 256 MiB; large sheets are unpacked to temporary files.
package source
