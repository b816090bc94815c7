// Package lsp is a server of the Language Server Protocol, version 3.17, that shows in an editor
// what checks find: diagnostics of the application that a file belongs to when it is opened
// or saved, what is known of a transaction when the pointer is on it, and proved repairs as
// code actions. Files are checked as they are saved.
//
// How an application is found, checked and repaired is for the App that the server is given.
package lsp
