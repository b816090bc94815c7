// Package dbserver runs private database servers: PostgreSQL and MariaDB, from
// the programs that are installed on this machine.
//
//	s, err := dbserver.Postgres.Start(ctx)
//	if err != nil { … }
//	defer s.Close()
//	… s.DSN("postgres") …
//
// A server lives in a temporary folder and answers on the loopback interface or
// on a socket in that folder only. Close stops it and removes the folder. So does
// the end of the program, however that ends: a supervising shell waits for the end
// of a pipe that only this program holds open.
//
// PostgreSQL refuses to run as root; there the server runs as user postgres or
// nobody.
//
// The package needs a Unix system.
package dbserver
