// Package inbrowser checks a program that somebody has typed into a page: SQL and levels in,
// a verdict and the page of robust check -format html out. It needs no file, no server and
// no Z3. Without Z3 nothing is proved.
//
// The package in the folder wasm makes a program of it for a browser.
package inbrowser
