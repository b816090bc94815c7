//go:build cgo && unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// supervise runs the command in a process of its own, and gives its exit code.
// Z3 as a library takes SIGINT for itself while it works, so that an interrupt would end a
// question and not the check: the worker is out of the terminal's reach, and
// gets SIGTERM instead.
func supervise() (code int, ok bool) {
	exe, err := os.Executable()
	if err != nil {
		return 0, false
	}
	cmd := &exec.Cmd{Path: exe, Args: os.Args, Env: append(os.Environ(), workerVar+"=1"),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, SysProcAttr: &syscall.SysProcAttr{Setpgid: true}}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if cmd.Start() != nil {
		signal.Stop(signals)
		return 0, false
	}
	go func() {
		for range signals {
			cmd.Process.Signal(syscall.SIGTERM) // fails only when the worker has ended
		}
	}()
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return exit.ExitCode(), true
	}
	if err != nil {
		return exitFault, true
	}
	return exitOK, true
}
