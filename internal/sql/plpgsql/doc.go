// Package plpgsql parses the body of a PL/pgSQL function into statements.
//
// It reads the grammar of PostgreSQL's pl_gram.y over PostgreSQL's own
// tokens. SQL inside the body is not parsed: it is kept as a Span of the
// text, so that whoever parses it can map its positions back exactly. A Span
// with INTO has the INTO clause replaced by blanks, as PostgreSQL does.
//
// Names are not resolved and types are not known here.
package plpgsql
