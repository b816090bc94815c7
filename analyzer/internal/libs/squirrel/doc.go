// Package squirrel models github.com/Masterminds/squirrel: a statement is a value that calls
// add to, and has the text that squirrel would give.
package squirrel
