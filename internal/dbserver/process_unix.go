//go:build unix

package dbserver

import (
	"os"
	"syscall"
)

// credential is the user that a server runs as.
type credential = syscall.Credential

// processAttr gives a server its user, the caller if who is nil, and a process group of
// its own: an interrupt is for this program.
func processAttr(who *credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: who, Setpgid: true}
}

type signalNumber = syscall.Signal

const (
	kill   = syscall.SIGKILL
	pause  = syscall.SIGSTOP
	resume = syscall.SIGCONT
)

// send signals a process. The error is os.ErrProcessDone if it has ended.
func send(pid int, number signalNumber) error {
	err := syscall.Kill(pid, number)
	if err == syscall.ESRCH {
		return os.ErrProcessDone
	}
	return err
}
