// Package source reads freelancers from files as they are found: CSV with any delimiter, NDJSON and JSON arrays, XLSX,
// each also under gzip, in UTF-8, UTF-16 or Windows-1252. What a file is, its content says, never its name.
//
// [Open] looks at the head of a file and maps its columns to the fields of a freelancer by their names;
// [File.Columns] tells what was mapped to what. [File.Rows] then yields one [Row] after another: a freelancer, or the
// reasons why the row is none. Values that cannot be read with certainty stay unknown and are reported as warnings.
//
// Memory is bounded: rows stream, a cell holds at most 1 MiB and a row 4 MiB. Only XLSX workbooks are held whole, and
// refused above 256 MiB, or 2 GiB when unpacked.
package source
