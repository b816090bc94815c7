// Package user is as ent generates it.
package user

import "example.com/people/ent/predicate"

const Table = "users"

func ID(id int) predicate.User { return nil }
