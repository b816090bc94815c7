package smt

import "syscall"

// processAttr keeps the signals of a console from the child. It ends when it has
// answered and its input is closed, also where this process was killed.
func processAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
