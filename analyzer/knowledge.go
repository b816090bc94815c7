package analyzer

import (
	"go/types"
	"slices"
	"strings"
)

// role is what a function of a library means for transactions.
type role uint8

const (
	unknownRole role = iota
	execRole         // sends a statement: (SQL, arguments …)
	queryRole        // the same, with rows
	queryRowRole
	beginRole
	commitRole
	rollbackRole
	prepareRole   // (SQL)
	getRole       // (destination, SQL, arguments …): one row
	selectRole    // (destination, SQL, arguments …): all rows
	namedExecRole // (SQL, struct or map)
	namedRowsRole
	inTxRole      // runs a function in a transaction
	collectRole   // (rows, function): all rows
	collectOne    // (rows, function): one row
	forEachRole   // (rows, destinations, function)
	byNameRole    // a function that makes a struct of a row by the names of its columns
	byPosRole     // the same by their order
	toRole        // the same for one column
	copyRole      // CopyFrom(table, columns, rows)
	sendBatchRole // SendBatch(batch)
	sameRole      // gives its (first) argument
	pureRole      // computes a value of its arguments
	freshRole     // gives a value that was never used before
	anyRole       // gives a value that does not depend on its arguments
	idleRole      // does nothing that matters
	newErrorRole
	wrapRole   // fmt.Errorf
	isRole     // errors.Is
	formatRole // fmt.Sprintf
	joinRole   // strings.Join
	replaceRole
	builderRole
	exitRole // never returns
	withRole // gives a handle like its receiver
	unsafeRole
	noContextRole
	withValueRole
	contextValueRole
)

// functions are functions and methods of libraries by their full names. A name
// that ends in .* stands for all of a package.
var functions = map[string]role{
	"github.com/jackc/pgx/v5.BeginFunc":                     inTxRole,
	"github.com/jackc/pgx/v5.BeginTxFunc":                   inTxRole,
	"(*gorm.io/gorm.DB).Transaction":                        inTxRole,
	"(*github.com/uptrace/bun.DB).RunInTx":                  inTxRole,
	"(*github.com/jackc/pgx/v4/pgxpool.Pool).BeginFunc":     inTxRole,
	"(*github.com/jackc/pgx/v4/pgxpool.Pool).BeginTxFunc":   inTxRole,
	"github.com/jackc/pgx/v5.CollectRows":                   collectRole,
	"github.com/jackc/pgx/v5.AppendRows":                    collectRole,
	"github.com/jackc/pgx/v5.CollectOneRow":                 collectOne,
	"github.com/jackc/pgx/v5.CollectExactlyOneRow":          collectOne,
	"github.com/jackc/pgx/v5.ForEachRow":                    forEachRole,
	"github.com/jackc/pgx/v5.RowToStructByName":             byNameRole,
	"github.com/jackc/pgx/v5.RowToAddrOfStructByName":       byNameRole,
	"github.com/jackc/pgx/v5.RowToStructByNameLax":          byNameRole,
	"github.com/jackc/pgx/v5.RowToAddrOfStructByNameLax":    byNameRole,
	"github.com/jackc/pgx/v5.RowToStructByPos":              byPosRole,
	"github.com/jackc/pgx/v5.RowToAddrOfStructByPos":        byPosRole,
	"github.com/jackc/pgx/v5.RowTo":                         toRole,
	"github.com/jackc/pgx/v5.RowToAddrOf":                   toRole,
	"github.com/jmoiron/sqlx.Get":                           getRole,
	"github.com/jmoiron/sqlx.GetContext":                    getRole,
	"github.com/jmoiron/sqlx.Select":                        selectRole,
	"github.com/jmoiron/sqlx.SelectContext":                 selectRole,
	"github.com/jmoiron/sqlx.NamedExec":                     namedExecRole,
	"github.com/jmoiron/sqlx.Rebind":                        unsafeRole,
	"(*github.com/jmoiron/sqlx.DB).Rebind":                  sameRole,
	"(*github.com/jmoiron/sqlx.Tx).Rebind":                  sameRole,
	"github.com/lib/pq.Array":                               sameRole,
	"github.com/lib/pq.QuoteIdentifier":                     pureRole,
	"errors.New":                                            newErrorRole,
	"github.com/pkg/errors.New":                             newErrorRole,
	"github.com/pkg/errors.Errorf":                          newErrorRole,
	"github.com/pkg/errors.Wrap":                            wrapRole,
	"github.com/pkg/errors.Wrapf":                           wrapRole,
	"github.com/pkg/errors.WithStack":                       wrapRole,
	"fmt.Errorf":                                            wrapRole,
	"errors.Join":                                           wrapRole,
	"errors.Is":                                             isRole,
	"github.com/pkg/errors.Is":                              isRole,
	"fmt.Sprintf":                                           formatRole,
	"strings.Join":                                          joinRole,
	"(*strings.Builder).WriteString":                        builderRole,
	"(*strings.Builder).WriteByte":                          builderRole,
	"(*strings.Builder).WriteRune":                          builderRole,
	"(*strings.Builder).String":                             builderRole,
	"(*strings.Builder).Grow":                               idleRole,
	"(*strings.Builder).Len":                                builderRole,
	"(*strings.Builder).Reset":                              builderRole,
	"(*bytes.Buffer).WriteString":                           builderRole,
	"(*bytes.Buffer).WriteByte":                             builderRole,
	"(*bytes.Buffer).WriteRune":                             builderRole,
	"(*bytes.Buffer).String":                                builderRole,
	"fmt.Fprintf":                                           builderRole,
	"time.Now":                                              anyRole,
	"time.Since":                                            anyRole,
	"time.Until":                                            anyRole,
	"time.Sleep":                                            idleRole,
	"context.Background":                                    noContextRole,
	"context.TODO":                                          noContextRole,
	"context.WithValue":                                     withValueRole,
	"(context.Context).Value":                               contextValueRole,
	"github.com/google/uuid.New":                            freshRole,
	"github.com/google/uuid.NewString":                      freshRole,
	"github.com/google/uuid.NewRandom":                      freshRole,
	"github.com/google/uuid.Must":                           sameRole,
	"github.com/google/uuid.NewV7":                          freshRole,
	"github.com/gofrs/uuid.NewV4":                           freshRole,
	"github.com/gofrs/uuid/v5.NewV4":                        freshRole,
	"strconv.Itoa":                                          pureRole,
	"strconv.FormatInt":                                     pureRole,
	"strconv.Quote":                                         pureRole,
	"os.Exit":                                               exitRole,
	"log.Fatal":                                             exitRole,
	"log.Fatalf":                                            exitRole,
	"log.Fatalln":                                           exitRole,
	"log.Panic":                                             exitRole,
	"log.Panicf":                                            exitRole,
	"(*sync.Mutex).Lock":                                    idleRole,
	"(*sync.Mutex).Unlock":                                  idleRole,
	"(*sync.RWMutex).Lock":                                  idleRole,
	"(*sync.RWMutex).Unlock":                                idleRole,
	"(*sync.RWMutex).RLock":                                 idleRole,
	"(*sync.RWMutex).RUnlock":                               idleRole,
	"strings.ToLower":                                       pureRole,
	"strings.ToUpper":                                       pureRole,
	"strings.TrimSpace":                                     pureRole,
	"strings.Trim":                                          pureRole,
	"strings.TrimPrefix":                                    pureRole,
	"strings.TrimSuffix":                                    pureRole,
	"strings.ReplaceAll":                                    replaceRole,
	"strings.Replace":                                       replaceRole,
	"strings.Repeat":                                        pureRole,
	"strings.Contains":                                      pureRole,
	"strings.HasPrefix":                                     pureRole,
	"strings.HasSuffix":                                     pureRole,
	"strings.EqualFold":                                     pureRole,
	"strings.Title":                                         pureRole,
	"(time.Time).Add":                                       pureRole,
	"(time.Time).AddDate":                                   pureRole,
	"(time.Time).Sub":                                       pureRole,
	"(time.Time).UTC":                                       sameRole,
	"(time.Time).Local":                                     sameRole,
	"(time.Time).Truncate":                                  pureRole,
	"(time.Time).Round":                                     pureRole,
	"(time.Time).Before":                                    pureRole,
	"(time.Time).After":                                     pureRole,
	"(time.Time).Equal":                                     pureRole,
	"(time.Time).IsZero":                                    pureRole,
	"(time.Time).Unix":                                      pureRole,
	"(time.Time).UnixNano":                                  pureRole,
	"(time.Time).Format":                                    pureRole,
	"time.Unix":                                             pureRole,
	"math.Abs":                                              pureRole,
	"math.Min":                                              pureRole,
	"math.Max":                                              pureRole,
	"math.Round":                                            pureRole,
	"math.Floor":                                            pureRole,
	"math.Ceil":                                             pureRole,
	"github.com/cockroachdb/cockroach-go/v2/crdb.ExecuteTx": inTxRole,
}

// idlePackages are packages that only write messages, or measure: what they are
// given is no result that anybody depends on. Mocks that record calls are in no program that
// has a database.
var idlePackages = map[string]bool{
	"log": true, "log/slog": true, "github.com/sirupsen/logrus": true, "go.uber.org/zap": true,
	"github.com/rs/zerolog": true, "github.com/rs/zerolog/log": true, "github.com/go-kit/log": true,
	"github.com/prometheus/client_golang/prometheus": true, "runtime/debug": true, "testing": true,
	"go.opentelemetry.io/otel/trace": true, "github.com/golang/glog": true, "k8s.io/klog/v2": true,
	"github.com/stretchr/testify/mock": true,
}

// methods are methods of whatever statements are sent through, by name. What they
// return says that they are meant.
var methods = map[string]role{
	"Exec": execRole, "ExecContext": execRole, "MustExec": execRole, "MustExecContext": execRole,
	"Query": queryRole, "QueryContext": queryRole, "Queryx": queryRole, "QueryxContext": queryRole,
	"QueryRow": queryRowRole, "QueryRowContext": queryRowRole, "QueryRowx": queryRowRole, "QueryRowxContext": queryRowRole,
	"Tx": beginRole, "Begin": beginRole, "BeginTx": beginRole, "Beginx": beginRole, "BeginTxx": beginRole, "MustBegin": beginRole, "MustBeginTx": beginRole,
	"Commit": commitRole, "Rollback": rollbackRole,
	"PrepareNamed": prepareRole, "PrepareNamedContext": prepareRole, "Prepare": prepareRole, "PrepareContext": prepareRole, "Preparex": prepareRole, "PreparexContext": prepareRole,
	"Get": getRole, "GetContext": getRole, "Select": selectRole, "SelectContext": selectRole,
	"NamedExec": namedExecRole, "NamedExecContext": namedExecRole, "NamedQuery": namedRowsRole, "NamedQueryContext": namedRowsRole,
	"CopyFrom": copyRole, "SendBatch": sendBatchRole, "BeginFunc": inTxRole, "BeginTxFunc": inTxRole, "RunInTx": inTxRole,
	"Close": idleRole, "Ping": idleRole, "PingContext": idleRole, "Rebind": sameRole, "Stmt": sameRole, "StmtContext": sameRole,
	"Release": idleRole, "Acquire": withRole, "Conn": withRole, "Unsafe": withRole, "SetMaxOpenConns": idleRole,
}

// handleTypes are the types that statements are sent through.
var handleTypes = map[string]string{
	"database/sql.DB": "db", "database/sql.Conn": "db", "database/sql.Tx": "tx",
	"github.com/jackc/pgx/v5.Tx": "tx", "github.com/jackc/pgx/v5.Conn": "db", "github.com/jackc/pgx/v5/pgxpool.Pool": "db",
	"github.com/jackc/pgx/v5/pgxpool.Conn": "db", "github.com/jackc/pgx/v5/pgxpool.Tx": "tx",
	"github.com/jackc/pgx/v4.Tx": "tx", "github.com/jackc/pgx/v4.Conn": "db", "github.com/jackc/pgx/v4/pgxpool.Pool": "db",
	"github.com/jackc/pgx/v4/pgxpool.Conn": "db", "github.com/jackc/pgx/v4/pgxpool.Tx": "tx",
	"github.com/jmoiron/sqlx.DB": "db", "github.com/jmoiron/sqlx.Conn": "db", "github.com/jmoiron/sqlx.Tx": "tx",
	"github.com/uptrace/bun.DB": "db", "github.com/uptrace/bun.Conn": "db", "github.com/uptrace/bun.Tx": "tx",
	"gorm.io/gorm.DB": "either",
}

// preparedTypes are the types of prepared statements.
var preparedTypes = map[string]bool{
	"database/sql.Stmt": true, "github.com/jmoiron/sqlx.Stmt": true, "github.com/jmoiron/sqlx.NamedStmt": true,
}

// resultTypes are the results by which the methods above are known.
var resultTypes = map[string]role{
	"database/sql.Result": execRole, "github.com/jackc/pgx/v5/pgconn.CommandTag": execRole, "github.com/jackc/pgconn.CommandTag": execRole,
	"database/sql.Rows": queryRole, "github.com/jackc/pgx/v5.Rows": queryRole, "github.com/jackc/pgx/v4.Rows": queryRole,
	"github.com/jmoiron/sqlx.Rows": queryRole,
	"database/sql.Row":             queryRowRole, "github.com/jackc/pgx/v5.Row": queryRowRole, "github.com/jackc/pgx/v4.Row": queryRowRole,
	"github.com/jmoiron/sqlx.Row": queryRowRole,
	"database/sql.Stmt":           prepareRole, "github.com/jmoiron/sqlx.Stmt": prepareRole,
}

// typeName gives the full name of a named type, or of what it points to.
func typeName(t types.Type) string {
	n := namedOf(t)
	if n == nil || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// sends reports whether a method is one that sends a statement with its text.
func sends(name string, sig *types.Signature) role {
	r := methods[name]
	switch r {
	case execRole, queryRole, queryRowRole:
		if sig.Results().Len() == 0 || resultTypes[typeName(sig.Results().At(0).Type())] != r {
			return unknownRole
		}
		params := sig.Params()
		for i := range params.Len() {
			if b, ok := params.At(i).Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				return r
			}
		}
		return unknownRole
	}
	return unknownRole
}

// handleType says whether statements are sent through values of a type: "db",
// "tx", "either" for an interface that may be one or the other, or "".
func (p *program) handleType(t types.Type) string {
	if k := handleTypes[typeName(t)]; k != "" {
		return k
	}
	if k := entType(t); k != "" {
		return k
	}
	if k := gorpType(t); k != "" {
		return k
	}
	i, ok := t.Underlying().(*types.Interface)
	if !ok || i.NumMethods() == 0 {
		return ""
	}
	if k, ok := p.handles[i]; ok {
		return k
	}
	k := ""
	ends := 0
	for m := range i.NumMethods() {
		f := i.Method(m)
		if sends(f.Name(), f.Signature()) != unknownRole || p.gorpRole(i, f.Name(), f.Signature()) != noGorp {
			k = "either"
		}
		if f.Name() == "Commit" || f.Name() == "Rollback" {
			ends++
		}
	}
	if k != "" && ends == 2 {
		k = "tx"
	}
	p.handles[i] = k
	return k
}

// begins reports whether what a method returns is a transaction.
func (p *program) begins(sig *types.Signature) bool {
	return sig.Results().Len() > 0 && p.handleType(sig.Results().At(0).Type()) == "tx"
}

// onlyBegins reports whether a method is one of an interface that begins transactions,
// and is no database otherwise.
func (p *program) onlyBegins(m *types.Func) bool {
	recv := m.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type()) && p.handleType(recv.Type()) == "" && methods[m.Name()] == beginRole && p.begins(m.Signature())
}

// isIdle reports whether a package only writes messages.
func isIdle(path string) bool {
	for strings.Contains(path, "/") {
		if idlePackages[path] {
			return true
		}
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return idlePackages[path]
}

// libraryPaths gives the packages that statements are sent through.
func libraryPaths() map[string]bool {
	out := map[string]bool{}
	for name := range handleTypes {
		out[name[:strings.LastIndexByte(name, '.')]] = true
	}
	for _, path := range gorpPaths {
		out[path] = true
	}
	return out
}

// Concerns reports whether a package may use a database: it imports, directly or
// not, a library that does, and is not part of one.
func Concerns(pkg *types.Package) bool {
	libraries := libraryPaths()
	for path := range libraries {
		if pkg.Path() == path || strings.HasPrefix(pkg.Path(), path+"/") {
			return false
		}
	}
	seen := map[*types.Package]bool{}
	var visit func(p *types.Package) bool
	visit = func(p *types.Package) bool {
		if seen[p] {
			return false
		}
		seen[p] = true
		return libraries[p.Path()] || slices.ContainsFunc(p.Imports(), visit)
	}
	return slices.ContainsFunc(pkg.Imports(), visit)
}
