// Package lint is robust as an analyzer of go/analysis: what go vet -vettool,
// golangci-lint and other drivers run.
//
// A cycle of dependencies spans an application, and a driver sees one package at
// a time. So each package exports its transactions as a fact, and the graph is
// closed where a program is: in each package main, over all that it imports.
// Where the source of the imports can be read, they are analysed together with
// the main package, as robust check does; else (a build system that gives export
// data only) the facts have to do, and a transaction that a helper in one package
// begins for a function of another is not seen, and neither is a package of which
// nothing shows in what the direct imports export.
//
// A driver may keep results as long as its inputs stay the same. So the fact of a
// package changes with its source and that of its imports, and the tool that go
// vet asks for its version answers with the schemas of the module, too.
package lint
