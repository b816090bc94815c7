// Package golden compares what tests get with files that say what they should
// get. go test -update writes these files anew: the change is then to be read as
// any other.
//
// Files with many cases in one (txtar) are not of this kind: their tests read and
// write them, and have flags of their own.
//
// The package is meant for tests only.
package golden
