// Package flags has kinds of flags that know which values they may have, and
// writes what follows from the flags of a command: its help in 80 columns, and
// the completion of command lines for shells.
//
// A value is checked when it is set, whether it comes from a command line or
// from a file, so that its error can name its place.
package flags
