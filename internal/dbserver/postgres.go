package dbserver

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// postgresScript makes the data folder, or copies that of the server that the environment
// names, runs the server, and removes the folder
// when the server has ended, which is at the latest when the standard input does.
// SIGQUIT ends a server at once, but is ignored while the shell still prepares it;
// SIGTERM ends it there. While there is a file "again", a server that has ended is
// started again.
const postgresScript = `
exec 3<&0 </dev/null
dir=$1 bin=$2
shift 2
make() {
  if [ "$PGHOST" ]
  then "$bin/pg_basebackup" -D "$dir/data" -R -X stream -c fast -N
  else "$bin/initdb" -D "$dir/data" -U postgres -A scram-sha-256 --pwfile "$dir/password" -E UTF8 --locale=C -N
  fi
}
if make >"$dir/log" 2>&1
then
  (
    cat <&3
    touch "$dir/end"
    while [ -d "$dir" ]
    do kill -TERM $(cat "$dir/server"); kill -QUIT $(cat "$dir/server"); sleep 0.05
    done
  ) >/dev/null 2>&1 &
  while :
  do
    "$bin/postgres" -D "$dir/data" -k "$dir" "$@" >"$dir/log" 2>&1 3<&- &
    echo $! >"$dir/server"
    wait $!
    [ -e "$dir/again" ] && ! [ -e "$dir/end" ] || break
    sleep 0.1
  done
  exec 3<&-
fi
cat "$dir/log"
cd /
rm -rf "$dir"
`

// postgresSettings trade durability for speed, keep the log of changes small, and
// make runs alike.
var postgresSettings = [...]string{
	"wal_level=minimal", "max_wal_senders=0", "min_wal_size=32MB", "max_wal_size=64MB",
	"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "jit=off",
	"deadlock_timeout=200ms", "timezone=UTC", "max_connections=100",
}

func startPostgres(ctx context.Context, o Options) (*Server, error) {
	bin, err := postgresPrograms()
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		s, err := postgresOnce(ctx, bin, o)
		// Somebody else may take the port in the meantime.
		if err == nil || attempt == 3 || !strings.Contains(err.Error(), "could not bind") {
			return s, err
		}
	}
}

// postgres gives the settings that the options ask for.
func (o Options) postgres() []string {
	var out []string
	if o.Durable {
		out = append(out, "synchronous_commit=on")
	}
	if o.Replicated {
		out = append(out, "wal_level=replica", "max_wal_senders=4")
	}
	return append(out, o.Settings...)
}

// postgresOnce starts a server on some port.
func postgresOnce(ctx context.Context, bin string, o Options) (*Server, error) {
	who, uid, gid, err := unprivileged()
	if err != nil {
		return nil, err
	}
	s := &Server{Kind: Postgres}
	if s.Version, err = output(filepath.Join(bin, "postgres"), "--version"); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s.options, s.password = o, rand.Text()
	if o.primary != nil {
		s.password = o.primary.password
	}
	s.at = Address{"tcp", net.JoinHostPort(loopback, strconv.Itoa(port))}
	s.dsn = func(at Address, database string) string {
		u := url.URL{Scheme: "postgres", User: url.UserPassword("postgres", s.password), Host: at.Addr, Path: "/" + database, RawQuery: "sslmode=disable"}
		return u.String()
	}
	if s.dir, err = os.MkdirTemp(folderFor(who), "robust-postgres-"); err != nil {
		return nil, err
	}
	secret := filepath.Join(s.dir, "password")
	err = os.WriteFile(secret, []byte(s.password+"\n"), 0o600)
	for _, path := range []string{s.dir, secret} {
		err = errors.Join(err, os.Chown(path, uid, gid))
	}
	args := []string{bin, "-h", loopback, "-p", strconv.Itoa(port)}
	for _, set := range slices.Concat(postgresSettings[:], o.postgres()) {
		args = append(args, "-c", set)
	}
	if err == nil {
		err = s.supervised(postgresScript, who, args...)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s.await(ctx, s.ping)
}

// folderFor gives the folder for temporary files that a user can reach: that of the
// system where the one that the environment names is out of reach for others.
func folderFor(who *credential) string {
	const system = "/tmp"
	dir, err := filepath.EvalSymlinks(os.TempDir())
	if who == nil || err != nil {
		return ""
	}
	for ; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err != nil || info.Mode()&0o001 == 0 {
			return system
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

const loopback = "127.0.0.1"

func freePort() (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// unprivileged says as whom to run the server: as the caller (a nil
// credential), or as another user when the caller is root.
func unprivileged() (who *credential, uid, gid int, err error) {
	if os.Geteuid() != 0 {
		return nil, os.Getuid(), os.Getgid(), nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2); err != nil {
			return nil, 0, 0, err
		}
		return &credential{Uid: uint32(uid), Gid: uint32(gid)}, uid, gid, nil
	}
	return nil, 0, 0, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
}

// postgresPrograms finds the folder that holds the server's programs: that of the
// postgres on PATH, or else the newest of Debian's versioned folders.
func postgresPrograms() (string, error) {
	var dirs []string
	for _, name := range []string{"postgres", "initdb"} {
		if path, err := exec.LookPath(name); err == nil {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				dirs = append(dirs, filepath.Dir(real))
			}
		}
	}
	versioned, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	version := func(dir string) float64 {
		v, _ := strconv.ParseFloat(filepath.Base(filepath.Dir(dir)), 64)
		return v
	}
	sort.Slice(versioned, func(i, j int) bool { return version(versioned[i]) > version(versioned[j]) })
	for _, dir := range append(dirs, versioned...) {
		if executable(filepath.Join(dir, "initdb")) && executable(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", &Missing{Postgres, "postgresql"}
}
