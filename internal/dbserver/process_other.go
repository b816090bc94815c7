//go:build !unix

package dbserver

import (
	"errors"
	"syscall"
)

// credential is the user that a server runs as.
type credential struct{ Uid, Gid uint32 }

func processAttr(*credential) *syscall.SysProcAttr { return nil }

type signalNumber int

const (
	kill signalNumber = iota
	pause
	resume
)

func send(int, signalNumber) error {
	return errors.New("processes are signalled on Unix systems only")
}
