// Package sql models database/sql: the types that statements are sent through, and the
// methods that others have, too. What these do is in package session.
package sql
