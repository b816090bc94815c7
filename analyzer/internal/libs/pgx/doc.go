// Package pgx models pgx v5 and v4: what they have beside the methods of database/sql, such
// as batches, COPY, and functions that collect rows.
package pgx
