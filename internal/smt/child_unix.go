//go:build unix && !linux

package smt

import "syscall"

// processAttr keeps the signals of a terminal from the child. It ends when it has
// answered and its input is closed, also where this process was killed.
func processAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
