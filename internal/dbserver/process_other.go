//go:build !unix

package dbserver

import "syscall"

// credential is the user that a server runs as.
type credential struct{ Uid, Gid uint32 }

func processAttr(*credential) *syscall.SysProcAttr { return nil }
