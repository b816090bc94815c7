package dbserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ping is nil if the server answers.
func (s *Server) ping(ctx context.Context) error {
	if s.Kind == MariaDB {
		return pingMariaDB(ctx, s.DSN(""))
	}
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// Crash kills all processes of the server at once, as kill -9 does, and returns when it
// was started again and answers.
func (s *Server) Crash(ctx context.Context) error {
	again := filepath.Join(s.dir, "again")
	if err := os.WriteFile(again, nil, 0o644); err != nil {
		return err
	}
	if err := s.signal(kill); err != nil {
		return err
	}
	_, err := s.await(ctx, s.ping)
	return errors.Join(err, os.Remove(again))
}

// Kill is Crash without a new start: the server is gone.
func (s *Server) Kill() error { return s.signal(kill) }

// Standby starts a server that copies what this one writes, which it reaches at an address.
// This one must be a Replicated PostgreSQL.
func (s *Server) Standby(ctx context.Context, at Address) (*Server, error) {
	if s.Kind != Postgres || !s.options.Replicated {
		return nil, fmt.Errorf("this %s has no standby", s.Kind)
	}
	o := s.options
	// Nobody copies the standby: it must not wait for that.
	o.Settings = append(slices.Clone(o.Settings), "synchronous_standby_names=")
	o.primary, o.through = s, at
	return startPostgres(ctx, o)
}

// Promote makes a standby a server of its own.
func (s *Server) Promote(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var done bool
	if err := conn.QueryRow(ctx, "SELECT pg_promote()").Scan(&done); err != nil || !done {
		return errors.Join(errors.New("the standby was not promoted"), err)
	}
	return nil
}

// Pause stops all processes of the server where they are, as SIGSTOP does.
func (s *Server) Pause() error { return s.signal(pause) }

// Resume lets them go on.
func (s *Server) Resume() error { return s.signal(resume) }

// signal sends a signal to the server and to its children.
func (s *Server) signal(number signalNumber) error {
	text, err := os.ReadFile(filepath.Join(s.dir, "server"))
	if err != nil {
		return err
	}
	server, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	// The server first, so that it starts no more of them.
	if err := send(server, number); err != nil {
		return fmt.Errorf("the private %s: %w", s.Kind, err)
	}
	children, err := childrenOf(server)
	if err != nil {
		return err
	}
	for _, c := range children {
		// Who has ended in the meantime needs no signal.
		if err := send(c, number); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
	}
	return nil
}

// childrenOf gives the processes that another one has started, as /proc knows them.
func childrenOf(parent int) ([]int, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("this system has no /proc: the processes of the server cannot be found")
	}
	var out []int
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state ppid …, where the name may have blanks and parentheses.
		after := string(text[strings.LastIndexByte(string(text), ')')+1:])
		fields := strings.Fields(after)
		if len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err != nil {
			return nil, err
		}
		out = append(out, pid)
	}
	return out, nil
}
