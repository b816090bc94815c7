// Package routine translates what functions, procedures and triggers run: the
// statements of PL/pgSQL and of SQL functions, with their variables, loops, handlers,
// cursors, FOUND and ROW_COUNT.
package routine
