package dbserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Kind is a database system.
type Kind string

const (
	Postgres Kind = "PostgreSQL"
	MariaDB  Kind = "MariaDB"
)

// Missing is the error where the programs of a server are not installed.
type Missing struct {
	Kind Kind
	// Package is the package of Debian that has them.
	Package string
}

func (m *Missing) Error() string {
	return fmt.Sprintf("%s is not installed (Debian: apt-get install %s)", m.Kind, m.Package)
}

// Server is a private server that runs.
type Server struct {
	Kind Kind
	// Version is what the program says, such as "postgres (PostgreSQL) 15.18".
	Version string

	dsn func(at Address, database string) string
	at  Address

	options  Options
	password string
	dir      string
	alive    *os.File      // the supervisor stops the server when this is closed
	ended    chan struct{} // closed when the server has ended and the folder is gone
	log      *strings.Builder
	close    sync.Once
}

// patience bounds the start and the end of a server.
const patience = 2 * time.Minute

// Installed reports why a server of this kind cannot be started: the error is a
// *Missing where its programs are not installed.
func (k Kind) Installed() error {
	switch k {
	case Postgres:
		_, err := postgresPrograms()
		return err
	case MariaDB:
		_, _, err := mariaPrograms()
		return err
	}
	panic("dbserver: unknown kind " + string(k))
}

// Options direct a server.
type Options struct {
	// Durable servers keep what they acknowledged when their processes are killed.
	Durable bool
	// Replicated servers can have a Standby. It is for PostgreSQL.
	Replicated bool
	// Disk, if not 0, is the size in megabytes of a disk in memory that holds the data. It needs
	// user namespaces of Linux, and the program unshare.
	Disk int
	// Settings are of the form name=value, and count more than others.
	Settings []string

	primary *Server // of a standby
	through Address // where the standby reaches it
}

// Start starts a server for tests: it need not survive. The caller must close it. An
// error is a *Missing where the programs are not installed; otherwise it has the last
// words of the server.
func (k Kind) Start(ctx context.Context) (*Server, error) { return k.StartWith(ctx, Options{}) }

// StartWith is Start with options. The error is ErrNoDisk where the server cannot have the disk
// that they ask for.
func (k Kind) StartWith(ctx context.Context, o Options) (*Server, error) {
	if err := o.diskPossible(); err != nil {
		return nil, err
	}
	switch k {
	case Postgres:
		return startPostgres(ctx, o)
	case MariaDB:
		return startMariaDB(ctx, o)
	}
	panic("dbserver: unknown kind " + string(k))
}

// Address is where a server listens, as package net says it: tcp or unix.
type Address struct{ Network, Addr string }

// Address is where the server listens.
func (s *Server) Address() Address { return s.at }

// DSN is the connection string for a database: a URL for PostgreSQL, and for MariaDB
// what the driver github.com/go-sql-driver/mysql reads.
func (s *Server) DSN(database string) string { return s.dsn(s.at, database) }

// DSNAt is the DSN for who reaches the server at another address, such as a proxy.
func (s *Server) DSNAt(at Address, database string) string { return s.dsn(at, database) }

// Dir is the folder of the server. It is gone when the server has ended.
func (s *Server) Dir() string { return s.dir }

// Close stops the server, and returns when its folder is gone.
func (s *Server) Close() error {
	s.close.Do(func() { s.alive.Close() })
	select {
	case <-s.ended:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("the private %s did not stop; its folder is %s", s.Kind, s.dir)
	}
}

// supervised starts a shell that runs the server. The script gets the folder and
// args as its arguments, removes the folder at its end, and ends when its standard
// input does.
func (s *Server) supervised(script string, who *credential, args ...string) error {
	if _, err := os.Stat("/bin/sh"); err != nil {
		return fmt.Errorf("a private server needs a Unix system: %w", err)
	}
	script, args = s.options.onDisk(script, args)
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, "dbserver", s.dir}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "LC_ALL=C", "PGOPTIONS=", "PGHOST=")
	if p := s.options.primary; p != nil {
		host, port, err := net.SplitHostPort(s.options.through.Addr)
		if err != nil {
			return err
		}
		cmd.Env = append(cmd.Env, "PGHOST="+host, "PGPORT="+port, "PGUSER=postgres", "PGPASSWORD="+p.password)
	}
	cmd.SysProcAttr = processAttr(who)
	s.log = &strings.Builder{}
	cmd.Stdout = s.log
	stdin, alive, err := os.Pipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	cmd.Stdin = stdin
	if err := cmd.Start(); err != nil {
		return errors.Join(err, alive.Close())
	}
	s.alive, s.ended = alive, make(chan struct{})
	go func() {
		cmd.Wait() // the log says how it ended
		close(s.ended)
	}()
	return nil
}

// await gives the server when it answers. The error says that it has ended, or ctx
// has.
func (s *Server) await(ctx context.Context, ping func(context.Context) error) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := ping(ctx)
		if err == nil {
			return s, nil
		}
		select {
		case <-s.ended:
			return nil, fmt.Errorf("the private %s did not start: %s", s.Kind, lastLines(s.log.String(), 5))
		case <-ctx.Done():
			if end := s.Close(); end != nil {
				return nil, end
			}
			return nil, fmt.Errorf("the private %s did not answer: %w", s.Kind, errors.Join(ctx.Err(), err))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// lastLines gives the last n lines of a text in one.
func lastLines(text string, n int) string {
	var lines []string
	sc := bufio.NewScanner(strings.NewReader(text))
	for sc.Scan() {
		if line := strings.TrimSpace(sc.Text()); line != "" {
			lines = append(lines, line)
		}
	}
	// What went wrong may be followed by advice.
	if wrong := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.Contains(line, "ERROR") && !strings.Contains(line, "FATAL") }); len(wrong) > 0 {
		lines = wrong
	}
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	if len(lines) == 0 {
		return "it said nothing"
	}
	return strings.Join(lines, " / ")
}

// output runs a program for what it says.
func output(program string, args ...string) (string, error) {
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", program, err)
	}
	return strings.TrimSpace(string(out)), nil
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
