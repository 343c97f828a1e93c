// Package value parses single values of freelancers, in the many ways people write them: money, counts, ratings, years,
// flags, web addresses, text and skills. The indexer parses the cells of files with it, and the server the members of
// records. All functions are pure. The words they know are in the folder data.
//
// An empty cell, or one such as "N/A" or "-" (see [Unknown]), has an unknown value. So does a cell that can't be parsed
// with certainty, because a wrong number ranks a person wrongly and an unknown one does not. Besides the value,
// functions return a remark for the person who loads the file: why the value is unknown, or what was done to it. An
// empty remark means that there is nothing to say. Remarks do not quote the cell, so that equal ones can be counted.
package value
