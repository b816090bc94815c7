// Package irnames has the names that mean something in the IR: of functions, aggregates, columns
// and sources of values.
package irnames

import (
	"strconv"
	"strings"
)

// Names of opaque functions and aggregates. RowFn makes a value of the values of a row, and
// FieldFn gives one of them; RowsAgg makes a list of the rows.
const (
	RowFn   = "row"
	RowsAgg = "rows"
	// RowsWith is rows, and another one.
	RowsWith = "rows with"
	ArrayAgg = "array" // ARRAY(SELECT …): never NULL
	// WindowFn begins the names of what is computed over a window.
	WindowFn = "window "
	// WindowRow begins the row variables of the rows in a window, with what no SQL can spell.
	WindowRow = "\x00window"
	// SucceedsFn is true: it is there for the errors of its arguments.
	SucceedsFn = "succeeds"
	// Symmetric begins the names of functions whose two arguments may change places.
	Symmetric = "symmetric "
	// FieldPrefix begins the names that FieldFn gives.
	FieldPrefix = "field "
)

// FieldFn is the function that gives the i-th field of a row, from 0.
func FieldFn(i int) string { return FieldPrefix + strconv.Itoa(i) }

// MaxTerm bounds the arguments in the name of an application of a function, in bytes.
const MaxTerm = 256

// VarColumn is the name of the column of a shared variable.
const VarColumn = "v"

// Clock is the source of the times at which transactions begin.
const Clock = "now()"

const nextval = "nextval("

// NextvalOf is what gives the values of a sequence.
func NextvalOf(sequence string) string { return nextval + sequence + ")" }

// IsNextval reports whether a source gives the values of a sequence.
func IsNextval(source string) bool { return strings.HasPrefix(source, nextval) }
