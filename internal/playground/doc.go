// Package playground writes a page where somebody edits SQL and levels and checks the
// program, with no server behind it: the checker is there as WebAssembly (internal/inbrowser)
// and runs in a worker of the browser. The scenes of internal/demo are its examples.
//
// The WebAssembly is built by the command in the folder build. A robust that is built with
// the tag playground has it inside.
package playground
