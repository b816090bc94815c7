// Package consteval evaluates functions that compute texts, such as the one that
// turns ? into $1, $2 and so on, or lists as many parameters as it is told to.
//
// # What
//
// Call runs a function in SSA form on arguments that are constants as far as they
// are known, and gives all texts that it may return. A part of a text that is not
// known is client.Hole. Final does the same for what the initializers of a package
// leave in a global variable.
//
// # How
//
// The function is run as it stands, with an own memory. Where it branches on what
// is not known, it is run once for each way (the run is repeated from its start, and
// follows the decisions of the run before up to the last one that may still be
// taken the other way). A run that panics gives nothing.
//
// # Limits
//
// What a value depends on is not recorded: two branches on the same unknown value
// may go different ways, which gives too many texts, never too few. What a library
// returns is not known, apart from functions on texts (library.go), and so is what
// global variables hold, unless the caller says what. Memory that gets to something
// that is not followed (a function without source, a channel, a map, a closure) is not
// known from then on. Call gives up (ok is false) where an element of a slice is written that
// append may have copied, in functions with recover, and after a number of instructions
// or decisions.
package consteval
