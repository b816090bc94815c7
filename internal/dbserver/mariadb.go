package dbserver

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/go-sql-driver/mysql"
)

// mariaScript is as postgresScript. Each server has a folder of its own for temporary tables, for a server
// that starts removes all that it finds there.
const mariaScript = `
exec 3<&0 </dev/null
dir=$1 install=$2 server=$3
shift 3
TMPDIR=$dir/tmp
export TMPDIR
mkdir "$TMPDIR"
if "$install" --no-defaults --datadir="$dir/data" --auth-root-authentication-method=normal --skip-test-db >"$dir/log" 2>&1
then
  (
    cat <&3
    touch "$dir/end"
    while [ -d "$dir" ]
    do kill -KILL $(cat "$dir/server"); sleep 0.05
    done
  ) >/dev/null 2>&1 &
  while :
  do
    "$server" --no-defaults --user="$(id -un)" --datadir="$dir/data" --socket="$dir/socket" --pid-file="$dir/pid" --skip-networking \
      --skip-log-bin --innodb-lock-wait-timeout=5 --innodb-buffer-pool-size=16M --innodb-log-file-size=16M "$@" >>"$dir/log" 2>&1 3<&- &
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

func startMariaDB(ctx context.Context, o Options) (*Server, error) {
	install, program, err := mariaPrograms()
	if err != nil {
		return nil, err
	}
	s := &Server{Kind: MariaDB, options: o}
	if s.Version, err = output(program, "--version"); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "robust-mariadb-"); err != nil {
		return nil, err
	}
	s.at = Address{"unix", filepath.Join(s.dir, "socket")}
	s.dsn = func(at Address, database string) string {
		cfg := mysql.NewConfig()
		cfg.User, cfg.Net, cfg.Addr, cfg.DBName, cfg.MultiStatements = "root", at.Network, at.Addr, database, true
		return cfg.FormatDSN()
	}
	// 2: the log is written at each commit, which survives the end of the process; 0: once a
	// second.
	settings := append([]string{"innodb_flush_log_at_trx_commit=0"}, o.Settings...)
	if o.Durable {
		settings = append([]string{"innodb_flush_log_at_trx_commit=2"}, o.Settings...)
	}
	args := []string{install, program}
	for _, set := range settings {
		args = append(args, "--"+set)
	}
	if err := s.supervised(mariaScript, nil, args...); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s.await(ctx, s.ping)
}

func pingMariaDB(ctx context.Context, dsn string) error {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return err
	}
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	return db.PingContext(ctx)
}

// mariaPrograms finds the program that makes the data folder, and the server.
func mariaPrograms() (install, server string, err error) {
	if install, server = find("mariadb-install-db"), find("mariadbd"); install == "" || server == "" {
		return "", "", &Missing{MariaDB, "mariadb-server"}
	}
	return install, server, nil
}

// find looks for a program in the path and where servers are.
func find(name string) string {
	for _, dir := range []string{"", "/usr/sbin", "/usr/local/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}
