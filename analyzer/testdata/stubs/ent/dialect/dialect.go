// Package dialect has what generated code of ent needs in tests. Nothing of it
// runs.
package dialect

type Driver interface{ Close() error }
