// Package tables completes what an application declares: tables of the IR with their
// keys, checks, foreign keys and exclusions, initial rows, and stated invariants.
// What cannot be translated is left out, with a note, and stays with the table, so
// that statements that it may refuse say so.
package tables
