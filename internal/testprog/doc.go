// Package testprog has what the tests of several packages share: the programs
// of testdata with their known verdicts, and the flags of tests with random
// programs.
//
// The verdicts are in four files VERDICTS.tsv, whose columns the READMEs beside
// them describe: LitmusPrograms reads that of testdata/litmus, Apps those of
// testdata/apps and testdata/traps, and Scripts that of testdata/scripts.
//
// The package is meant for tests only.
package testprog
