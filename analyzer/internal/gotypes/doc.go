// Package gotypes knows types of Go by themselves: which kind of value in SQL one stands
// for, which structs have parts that are kept apart, and which names types have. It knows
// no values, and no library but the standard one.
package gotypes
