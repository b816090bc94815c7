//go:build !js

package smt

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
)

// child is a program that reads commands and writes answers.
type child struct {
	in   *os.File
	out  *bufio.Reader
	read *os.File // below out
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// newProcess starts the program with a name, z3 if it is "".
func newProcess(name string) *process {
	b, err := program(name)
	if err != nil {
		return converse(nil, err)
	}
	return converse(start(b.Program.Path, "-smt2", "-in"))
}

// start runs a program. What it writes as errors is among its answers.
func start(path string, args ...string) (*child, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	read, stdout, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer stdout.Close()
	c := &child{in: in, out: bufio.NewReaderSize(read, 1<<16), read: read, cmd: exec.Command(path, args...), done: make(chan struct{})}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = stdin, stdout, stdout
	c.cmd.SysProcAttr = processAttr()
	started := make(chan error)
	go func() {
		// Linux ends the child together with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			c.cmd.Wait() // the state says how it ended
		}
		close(c.done)
	}()
	if err := <-started; err != nil {
		in.Close()
		read.Close()
		return nil, err
	}
	return c, nil
}

// kill ends the program, unless it has ended.
func (c *child) kill() { c.cmd.Process.Kill() }

// close ends the program and frees what belongs to it.
func (c *child) close() {
	c.kill()
	c.in.Close()
	c.read.Close()
}

// ending says how the program ended. It waits for that.
func (c *child) ending() string {
	<-c.done
	return c.cmd.ProcessState.String()
}
