package dbserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// diskScript runs a script whose folder "data" is on a disk in memory, of so many megabytes. Only
// its processes see the disk, in namespaces of their own, so that it needs no privilege and is
// gone when they have ended. There the script has the user that it would have without.
const diskScript = `
dir=$1
unshare --user --map-root-user --mount /bin/sh -c '
  uid=$1 gid=$2 dir=$3 size=$4 script=$5
  shift 5
  mkdir "$dir/disk" && mount -t tmpfs -o "size=${size}m,mode=0700" tmpfs "$dir/disk" &&
    mkdir -m 0700 "$dir/disk/data" && : >"$dir/disk/ballast" && ln -s "$dir/disk/data" "$dir/data" &&
    exec unshare --user --map-user="$uid" --map-group="$gid" /bin/sh -c "$script" dbserver "$dir" "$@"
' dbserver "$(id -u)" "$(id -g)" "$@" 2>&1
cd /
rm -rf "$dir"
`

// FillDisk fills the disk of a server that has one of its own (Options.Disk), keeps it full for
// a time, empties it again, and returns when the server answers. A server that ended because the
// disk was full is started again. PostgreSQL is told to begin a new file of its log, for which
// there is no room then: a small workload would not come to the end of the old one.
func (s *Server) FillDisk(ctx context.Context, howLong time.Duration) (err error) {
	if s.options.Disk == 0 {
		return fmt.Errorf("this %s has no disk of its own", s.Kind)
	}
	again := filepath.Join(s.dir, "again")
	if err := os.WriteFile(again, nil, 0o644); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(again)) }()
	pid, err := os.ReadFile(filepath.Join(s.dir, "server"))
	if err != nil {
		return err
	}
	disk := filepath.Join("/proc", strings.TrimSpace(string(pid)), "root", s.dir, "disk")
	ballast, err := os.OpenFile(filepath.Join(disk, "ballast"), os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("the disk of the private %s cannot be reached: %w", s.Kind, err)
	}
	defer ballast.Close()
	var conn *pgx.Conn
	if s.Kind == Postgres {
		if conn, err = pgx.Connect(ctx, s.DSN("postgres")); err != nil {
			return err
		}
		defer conn.Close(ctx)
	}
	if err := fill(ballast); err != nil {
		return err
	}
	if conn != nil {
		conn.Exec(ctx, "SELECT pg_switch_wal()") // which may end the server
	}
	for end := time.Now().Add(howLong); time.Now().Before(end) && ctx.Err() == nil && err == nil; time.Sleep(5 * time.Millisecond) {
		err = fill(ballast) // what became free meanwhile
	}
	if err := errors.Join(err, ballast.Truncate(0)); err != nil {
		return err
	}
	_, err = s.await(ctx, s.ping)
	return err
}

// fill writes to a file until its disk is full.
func fill(ballast *os.File) error {
	block := make([]byte, 1<<20)
	for {
		switch _, err := ballast.Write(block); {
		case errors.Is(err, syscall.ENOSPC):
			return nil
		case err != nil:
			return err
		}
	}
}

// ErrNoDisk is the error where a server cannot have a disk of its own.
var ErrNoDisk = errors.New("a private server cannot have a disk of its own here: that needs user namespaces of Linux, and the program unshare")

// diskPossible reports why a server cannot have a disk of its own: the error is ErrNoDisk.
func (o Options) diskPossible() error {
	if o.Disk == 0 {
		return nil
	}
	said, err := exec.Command("unshare", "--user", "--map-root-user", "--mount", "true").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w (%s, %w)", ErrNoDisk, lastLines(string(said), 1), err)
	}
	return nil
}

// onDisk gives a script, with its arguments after that for the folder, the disk that the options
// ask for.
func (o Options) onDisk(script string, args []string) (string, []string) {
	if o.Disk == 0 {
		return script, args
	}
	return diskScript, append([]string{strconv.Itoa(o.Disk), script}, args...)
}
