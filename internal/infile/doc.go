// Package infile reads the files that a user names, and those to which these
// lead. Such a file may be anything: a named pipe without a writer, a device, a
// directory with the name of a file, a link to a secret.
//
// Read and Open take regular files only, and never wait for anybody. A Reader
// also keeps to the directories that the user has named: a link or an include
// that leads elsewhere is an error. It reads a file once, so that all who look
// at the file see the same text, and it tells which files were read.
//
// The package knows neither programs nor histories.
package infile
