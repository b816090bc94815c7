package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/txrobust/robust/internal/dbserver"
)

// FaultNames are the faults that private servers can have.
func FaultNames() []string { return []string{"none", "kill", "stop", "partition"} }

// away is how long a server is stopped, or a link cut or silent.
const away = time.Second

// Private is a database of our own, which may have faults.
type Private struct {
	Database
	server *dbserver.Server // nil for SQLite
	proxy  *proxy           // nil without faults of the network
	dir    string           // of SQLite
}

// kinds are the servers of the engines that have one.
var kinds = map[string]struct {
	kind     dbserver.Kind
	database string
}{"postgres": {dbserver.Postgres, "postgres"}, "mariadb": {dbserver.MariaDB, "mysql"}}

// Private starts a server of this kind that keeps what it acknowledges, and that clients reach
// by a proxy if partition is set. settings are of its own, name=value.
func (e *Engine) Private(ctx context.Context, level Isolation, settings []string, partition bool) (*Private, error) {
	k, ok := kinds[e.Name]
	if !ok {
		return e.file(ctx, level, settings, partition)
	}
	s, err := k.kind.StartWith(ctx, dbserver.Options{Durable: true, Settings: settings})
	if err != nil {
		return nil, err
	}
	p := &Private{server: s}
	at := s.Address()
	if partition {
		if p.proxy, err = newProxy(at); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		at = p.proxy.address()
	}
	if p.Database, err = e.Open(ctx, s.DSNAt(at, k.database), level); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

// file makes a database that is a file.
func (e *Engine) file(ctx context.Context, level Isolation, settings []string, partition bool) (*Private, error) {
	if len(settings) > 0 || partition {
		return nil, fmt.Errorf("%s has no server, and so neither settings nor a network", e.Name)
	}
	dir, err := os.MkdirTemp("", "robust-sqlite-")
	if err != nil {
		return nil, err
	}
	db, err := e.Open(ctx, filepath.Join(dir, "db"), level)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Private{Database: db, dir: dir}, nil
}

// Close ends the database, and removes it.
func (p *Private) Close(ctx context.Context) error {
	return errors.Join(p.Database.Close(ctx), p.stop())
}

func (p *Private) stop() (err error) {
	if p.proxy != nil {
		err = p.proxy.close()
	}
	if p.server != nil {
		err = errors.Join(err, p.server.Close())
	}
	if p.dir != "" {
		err = errors.Join(err, os.RemoveAll(p.dir))
	}
	return err
}

// Faults gives n faults of a name, none for "none".
func (p *Private) Faults(name string, n int) ([]Fault, error) {
	if name == "none" {
		return nil, nil
	}
	if p.server == nil {
		return nil, errors.New("this database has no server that faults could happen to")
	}
	var out []Fault
	for i := range n {
		f := Fault{What: name}
		switch name {
		case "kill":
			f.Do = p.server.Crash
		case "stop":
			f.Do = func(ctx context.Context) error {
				return p.during(ctx, p.server.Pause, p.server.Resume)
			}
		case "partition":
			state := cut
			if i%2 == 1 {
				state = silent
			}
			f.Do = func(ctx context.Context) error {
				return p.during(ctx, func() error { p.proxy.set(state); return nil }, func() error { p.proxy.set(forwards); return nil })
			}
		default:
			return nil, fmt.Errorf("there is no fault %q", name)
		}
		out = append(out, f)
	}
	return out, nil
}

// during has something begin, and end after a while.
func (p *Private) during(ctx context.Context, begin, end func() error) error {
	if err := begin(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-time.After(away):
	}
	return end()
}
