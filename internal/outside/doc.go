// Package outside is a module of its own, for tests with programs and libraries that
// nobody who uses the packages needs: a browser for the pages, a library for the
// logs in SARIF, and one for clients of the editor's protocol. `make test` runs them.
package outside
