// Package proc is the core of procedures, which PL/pgSQL, scripts and client programs share: branches,
// loops and blocks with what leaves them, loops over rows, rows that go INTO variables, and what
// holds on a path. A front end translates its own expressions and names of variables, and tells the
// core the rest.
package proc
