//go:build !js

package infile

import "syscall"

// unblocked opens a file without waiting for somebody at the other end of it, and makes no
// terminal that of this process.
const unblocked = syscall.O_NONBLOCK | syscall.O_NOCTTY
