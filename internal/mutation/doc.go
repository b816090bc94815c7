// Command mutation measures what the tests notice: it puts one fault at a time
// into the sources and runs tests until one of them fails.
//
//	go run ./internal/mutation                # all faults that are not killed yet
//	go run ./internal/mutation -run 'lock'    # those whose names match
//
// The faults are a table in this package. Each replaces one text of one file by
// another, as a tired engineer could have written it. The sources are copied to
// a scratch folder, and every function with a fault gets a second body there,
// which an environment variable chooses. So each package of tests is built
// once for all faults.
//
// A fault is killed when a test fails that passes without the fault, or runs
// much longer than without it. Answers are kept in the scratch folder: a later
// run repeats only faults that survived or have changed. The tests of this
// package check no more than that every fault still finds its place.
package main
