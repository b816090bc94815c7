package ir

// Domain is the set of values of an SQL type, such as numeric(8,2), of which a Type
// is the coarse class. The interpreter stops where a value leaves its domain, and
// witnesses have values of the domains. The solver takes it for granted that values
// stay inside; the text form does not have domains.
type Domain interface {
	// String is the type in SQL.
	String() string
	// Fits reports whether v, which is not NULL, is one of the values.
	Fits(v Value) bool
	// Sample gives the i-th, from 0, of some values that differ; false if there are
	// no more.
	Sample(i int) (Value, bool)
	// Literal is v as an expression of SQL that has this type.
	Literal(v Value) string
	// Read reads what a server prints for a value; false if it is none.
	Read(text string) (Value, bool)
}
