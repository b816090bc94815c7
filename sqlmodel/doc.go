// Package sqlmodel translates the SQL text of a PostgreSQL application into an
// ir.Program: its schema, and a transaction template for each function or
// procedure in PL/pgSQL or SQL.
package sqlmodel
