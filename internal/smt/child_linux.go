package smt

import "syscall"

// processAttr keeps the signals of a terminal from the child, and ends it when the
// thread that started it ends.
func processAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
