// Package report holds the result of a check as data, and prints it: as text
// that fits a terminal of 80 columns, and as JSON (schema.json).
//
// It knows nothing of how a result was found. Output is sorted and stable: the
// same result prints the same bytes, times apart.
package report
