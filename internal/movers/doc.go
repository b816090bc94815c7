// Package movers is the proof of package movers at the top of the module, which says what it
// proves and how. What is here besides is for those who keep proofs and check them: Evidence
// is what a verdict rests on, and Recheck makes its questions anew.
package movers
