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
func FaultNames() []string {
	return []string{"none", "kill", "stop", "partition", "full-disk", "failover"}
}

// broken is how long the link to a standby is broken before a failover.
const broken = 200 * time.Millisecond

// diskSize is how large the disk is that becomes full, in megabytes. A new server takes less
// than half of it.
const diskSize = 256

// away is how long a server is stopped, a link cut or silent, or a disk full.
const away = time.Second

// Private is a database of our own, which may have faults.
type Private struct {
	Database
	server *dbserver.Server // nil for SQLite
	proxy  *proxy           // for clients, nil without faults of the network
	// For a failover:
	standby *dbserver.Server
	link    *proxy // by which the standby reaches the server
	dir     string // of SQLite
}

// kinds are the servers of the engines that have one.
var kinds = map[string]struct {
	kind     dbserver.Kind
	database string
}{"postgres": {dbserver.Postgres, "postgres"}, "mariadb": {dbserver.MariaDB, "mysql"}}

// Private starts a server of this kind that keeps what it acknowledges, and that can have a
// fault. settings are of its own, name=value.
func (e *Engine) Private(ctx context.Context, level Isolation, settings []string, fault string) (*Private, error) {
	k, ok := kinds[e.Name]
	if !ok {
		return e.file(ctx, level, settings, fault)
	}
	o := dbserver.Options{Durable: true, Replicated: fault == "failover", Settings: settings}
	if fault == "full-disk" {
		o.Disk = diskSize
	}
	s, err := k.kind.StartWith(ctx, o)
	if err != nil {
		return nil, err
	}
	p := &Private{server: s}
	at := s.Address()
	if fault == "partition" || fault == "failover" {
		if p.proxy, err = newProxy(at); err != nil {
			return nil, errors.Join(err, p.stop())
		}
		at = p.proxy.address()
	}
	if fault == "failover" {
		if p.link, err = newProxy(s.Address()); err == nil {
			p.standby, err = s.Standby(ctx, p.link.address())
		}
		if err != nil {
			return nil, errors.Join(err, p.stop())
		}
	}
	if p.Database, err = e.connect(ctx, s.DSNAt(at, k.database), level); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

// file makes a database that is a file.
func (e *Engine) file(ctx context.Context, level Isolation, settings []string, fault string) (*Private, error) {
	if len(settings) > 0 || fault != "none" {
		return nil, fmt.Errorf("%s has no server, and so neither settings nor faults", e.Name)
	}
	dir, err := os.MkdirTemp("", "robust-sqlite-")
	if err != nil {
		return nil, err
	}
	db, err := e.connect(ctx, filepath.Join(dir, "db"), level)
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
	for _, x := range []*proxy{p.proxy, p.link} {
		if x != nil {
			err = errors.Join(err, x.close())
		}
	}
	for _, s := range []*dbserver.Server{p.server, p.standby} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	if p.dir != "" {
		err = errors.Join(err, os.RemoveAll(p.dir))
	}
	return err
}

// Faults gives n faults of a name, none for "none". A failover happens once.
func (p *Private) Faults(name string, n int) ([]Fault, error) {
	if name == "none" {
		return nil, nil
	}
	if p.server == nil {
		return nil, errors.New("this database has no server that faults could happen to")
	}
	if name == "failover" {
		return []Fault{{What: name, Do: p.failover}}, nil
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
		case "full-disk":
			f.Do = func(ctx context.Context) error { return p.server.FillDisk(ctx, away) }
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

// failover breaks the link to the standby, kills the server a moment later, and leads the
// clients to the standby. What the server acknowledged in between is lost, unless it waited for
// the standby.
func (p *Private) failover(ctx context.Context) error {
	p.link.set(cut)
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(broken):
	}
	if err := p.server.Kill(); err != nil {
		return err
	}
	if err := p.standby.Promote(ctx); err != nil {
		return err
	}
	p.proxy.lead(p.standby.Address())
	return nil
}
