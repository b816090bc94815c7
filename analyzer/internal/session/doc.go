// Package session knows the database: handles that statements are sent through, statements
// with their rows and results, where a transaction begins and ends, and what an
// interpretation finds (Findings). It names no library: what one does is a Library, whose
// models get a Session and a call.
package session
