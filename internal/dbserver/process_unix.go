//go:build unix

package dbserver

import "syscall"

// credential is the user that a server runs as.
type credential = syscall.Credential

// processAttr gives a server its user, the caller if who is nil, and a process group of
// its own: an interrupt is for this program.
func processAttr(who *credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: who, Setpgid: true}
}
