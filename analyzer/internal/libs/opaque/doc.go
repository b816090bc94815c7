// Package opaque has statements of libraries whose calls are not modelled one by one: what
// counts is the table, and whether the statement only reads.
package opaque
