// Package predicate is as ent generates it.
package predicate

type User func(*int)
