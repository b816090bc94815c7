// Package ddl runs declarations, statement by statement, on a schema.Schema: what
// CREATE, ALTER, DROP, GRANT and the like make of it, with the search path and the
// roles that are set at that place of the files. A statement that needs a table of a
// later file runs when all files are read.
package ddl
