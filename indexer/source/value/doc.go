// Package value reads single cells of freelancer files: money, counts, ratings, years, flags, web addresses, text and
// skills, in the many ways people write them. Every function is pure.
//
// A cell that says nothing ("", "N/A", "-", see [Unknown]) gives an unknown value. So does one that cannot be read
// with certainty, because a wrong number ranks a person wrongly while an unknown one does not. Functions return a
// remark beside the value: "" when there is nothing to say, otherwise a sentence for the person who loads the file,
// about why the value is unknown or what was done to it. Remarks do not repeat the cell, so that they can be counted.
package value
