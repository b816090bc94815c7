package lint

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/analyzer"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/gomod"
	"github.com/txrobust/robust/internal/goprogram"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/schemafind"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// Transactions is the fact of a package: its transactions, encoded with
// encoding/gob.
type Transactions struct {
	Version, Count int
	// Concerns says that the package, or one that it imports, may use a database. The
	// types of a package do not tell: those of its imports that its own do not name
	// are not in them.
	Concerns bool
	Data     []byte
	// Source identifies the files of the package and of what it imports, so that a
	// build system that keeps results knows that something has changed.
	Source []byte
}

// AFact marks Transactions as a fact.
func (*Transactions) AFact() {}

func (t *Transactions) String() string { return fmt.Sprintf("transactions: %d", t.Count) }

// factVersion changes with the form of the fact.
const factVersion = 3

// New makes the analyzer. Its flags are those of robust check that matter here. Its result
// is the *robust.Report about the program, nil for a package that is none.
func New() *analysis.Analyzer {
	l := &linter{}
	a := &analysis.Analyzer{
		Name: "robust",
		Doc: "report database transactions that are wrong at their isolation levels\n\n" +
			"The transactions of a program are taken out of its code, each with the isolation level\n" +
			"at which PostgreSQL runs it. They are proved robust there, or an execution is found that\n" +
			"no serial order explains, or nothing is said.",
		Run:        l.run,
		FactTypes:  []analysis.Fact{(*Transactions)(nil)},
		ResultType: reflect.TypeFor[*robust.Report](),
	}
	a.Flags.StringVar(&l.schema, "schema", "", "`PATH` of the schema: a file, or a directory of migrations; a relative one is looked for beside the package and above it, up to the module (default: found by convention)")
	a.Flags.DurationVar(&l.timeout, "timeout", 2*time.Minute, "give up after this time")
	a.Flags.StringVar(&l.isolation, "isolation", levels.AtCode, "isolation `level` of the transactions: code (the one that the source asks for, or else the default of PostgreSQL), si, rc, rr or serializable")
	a.Flags.BoolVar(&l.autocommit, "autocommit", true, "statements outside of transactions are transactions of their own; with =false they are left out")
	a.Flags.BoolVar(&l.everywhere, "everywhere", false, "check packages that are no programs, too, each with what it imports")
	a.Flags.BoolVar(&l.suspected, "suspected", false, "report suspected findings, too: executions that the database may refuse for a reason that is not modelled")
	a.Flags.BoolVar(&l.notes, "notes", true, "report what is not in one transaction, too: writes that rest on what an earlier transaction has read, which are wrong at every level")
	a.Flags.Func("fail-on", "the `verdict` from which on something is reported: finding (the default), or unknown: what keeps transactions undecided, too", l.setFailOn)
	return a
}

type linter struct {
	schema, isolation                 string
	timeout                           time.Duration
	everywhere, autocommit, suspected bool
	notes                             bool // what is not in one transaction is reported
	unknown                           bool // what keeps transactions undecided is reported
}

func (l *linter) setFailOn(verdict string) error {
	if verdict != "finding" && verdict != "unknown" {
		return fmt.Errorf("it must be finding or unknown, but is %q", verdict)
	}
	l.unknown = verdict == "unknown"
	return nil
}

func (l *linter) run(pass *analysis.Pass) (any, error) {
	if err := levels.Known(l.isolation); err != nil {
		return nil, err
	}
	if model := levels.Model(l.isolation); model != "" {
		return nil, fmt.Errorf("-isolation %s: %s is a model of distributed stores, and no level of PostgreSQL; write si, rc, rr, serializable or code", l.isolation, model)
	}
	return l.report(pass)
}

// report decides about a package, if it is a program, and keeps its transactions
// for those that import it.
func (l *linter) report(pass *analysis.Pass) (*robust.Report, error) {
	source, err := digest(pass)
	if err != nil {
		return nil, err
	}
	if !concerns(pass) {
		if source != nil {
			pass.ExportPackageFact(&Transactions{Version: factVersion, Source: source})
		}
		return nil, nil
	}
	own, err := analyzer.Package(pass.Fset, pass.Pkg, pass.TypesInfo, pass.TypesSizes, pass.Files)
	if err != nil {
		return nil, err
	}
	fact, err := encode(own.Txns)
	if err != nil {
		return nil, err
	}
	fact.Source, fact.Concerns = source, true
	pass.ExportPackageFact(fact)
	if pass.Pkg.Name() != "main" && !l.everywhere || strings.HasSuffix(pass.Pkg.Path(), ".test") {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), l.timeout)
	defer cancel()
	res := l.whole(ctx, pass)
	if res == nil {
		if res, err = l.fromFacts(pass, own); err != nil {
			return nil, err
		}
	}
	if !l.autocommit {
		goprogram.TransactionsOnly(res)
	}
	if len(res.Txns) == 0 {
		return nil, nil
	}
	return l.check(ctx, pass, res)
}

// concerns reports whether a package may use a database, itself or by what it imports.
func concerns(pass *analysis.Pass) bool {
	return analyzer.Concerns(pass.Pkg) || slices.ContainsFunc(pass.Pkg.Imports(), func(imp *types.Package) bool {
		var t Transactions
		return pass.ImportPackageFact(imp, &t) && t.Version == factVersion && t.Concerns
	})
}

// dir is the directory of a package.
func dir(pass *analysis.Pass) string {
	return filepath.Dir(pass.Fset.Position(pass.Files[0].FileStart).Filename)
}

// whole analyses a program with the source of what it imports, nil if that
// cannot be had.
func (l *linter) whole(ctx context.Context, pass *analysis.Pass) *analyzer.Result {
	if l.everywhere || os.Getenv("GO111MODULE") == "off" {
		return nil
	}
	res, err := analyzer.Load(ctx, []string{pass.Pkg.Path()}, analyzer.Options{Dir: dir(pass), Absolute: true})
	if err != nil {
		return nil
	}
	return res
}

// fromFacts puts the transactions of a package and of its imports together.
func (l *linter) fromFacts(pass *analysis.Pass, own *analyzer.Result) (*analyzer.Result, error) {
	out := *own
	for _, f := range pass.AllPackageFacts() {
		if f.Package == pass.Pkg {
			continue
		}
		t, ok := f.Fact.(*Transactions)
		if !ok || t.Version != factVersion || t.Count == 0 {
			continue
		}
		list, err := decode(t)
		if err != nil {
			return nil, fmt.Errorf("the fact of %s cannot be read: %w", f.Package.Path(), err)
		}
		out.Txns = append(out.Txns, list...)
	}
	return &out, nil
}

func encode(list []*client.Txn) (*Transactions, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(list); err != nil {
		return nil, err
	}
	return &Transactions{Version: factVersion, Count: len(list), Data: b.Bytes()}, nil
}

// digest identifies the files of a package of a module that is worked on, and of
// such packages that it imports. It is nil for others, whose files do not change.
func digest(pass *analysis.Pass) ([]byte, error) {
	if pass.Module == nil || pass.Module.Path == "" || pass.Module.Version != "" {
		return nil, nil
	}
	h := sha256.New()
	for _, f := range pass.Files {
		text, err := pass.ReadFile(pass.Fset.Position(f.FileStart).Filename)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(h, "%d\n%s", len(text), text)
	}
	imports := slices.Clone(pass.Pkg.Imports())
	slices.SortFunc(imports, func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
	for _, imp := range imports {
		var t Transactions
		if pass.ImportPackageFact(imp, &t) {
			fmt.Fprintf(h, "%q %x\n", imp.Path(), t.Source)
		}
	}
	return h.Sum(nil), nil
}

func decode(t *Transactions) (list []*client.Txn, err error) {
	err = gob.NewDecoder(bytes.NewReader(t.Data)).Decode(&list)
	return list, err
}

func init() {
	for _, x := range []any{&client.Query{}, &client.ForRows{}, &client.Assign{}, &client.Havoc{}, &client.If{}, &client.Loop{},
		&client.Block{}, &client.Break{}, &client.Continue{}, &client.Commit{}, &client.Rollback{}, &client.Emit{},
		&client.Savepoint{}, &client.RollbackTo{}, &client.Unknown{}, &client.VarExpr{}, &client.Const{}, &client.Op{}, &client.Call{}} {
		gob.Register(x)
	}
}

// check decides about a program, and reports what is found.
func (l *linter) check(ctx context.Context, pass *analysis.Pass, res *analyzer.Result) (*robust.Report, error) {
	groups, err := goprogram.Roots(res.Modules)
	if err != nil {
		return nil, err
	}
	opt := goprogram.Options{Roots: groups}
	if len(res.Modules) == 0 {
		roots, err := schemafind.Roots(dir(pass))
		if err != nil {
			return nil, err
		}
		opt.Roots = [][]string{{dir(pass)}, roots}
	}
	if l.schema != "" {
		opt.Schema = []string{named(dir(pass), l.schema)}
	}
	where := newPlaces(pass)
	rep, err := l.verdict(ctx, res, opt)
	if e, ok := errors.AsType[*ir.Error](err); ok {
		if at := where.pos(witness.Position{File: e.Pos.File, Line: e.Pos.Line, Col: e.Pos.Col}); at.IsValid() {
			pass.Report(analysis.Diagnostic{Pos: at, Message: quote.Line(e.Msg)})
			return nil, nil
		}
	}
	if rep == nil || err != nil && fault.All(err) == nil {
		return nil, err
	}
	l.tell(pass, where, rep)
	// A driver that is given an error leaves the findings out.
	for _, f := range fault.All(errors.Join(append(res.Faults, err)...)) {
		pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Package, Message: quote.Line(f.Error()) + "; robust check keeps what reproduces it"})
	}
	return rep, nil
}

// tell reports the findings that are certain, what is not in one transaction, and what else the flags ask for.
func (l *linter) tell(pass *analysis.Pass, where *places, rep *robust.Report) {
	told := false
	for _, f := range rep.Findings {
		if f.Status == report.Confirmed || l.suspected {
			pass.Report(where.diagnostic(&f))
			told = true
		}
	}
	for _, a := range rep.Apart {
		if a.Accepted == nil {
			pass.Report(where.note(&a))
		}
	}
	if !l.unknown {
		return
	}
	for n, who := range rep.Causes() {
		at := where.pos(witness.Position{File: n.File, Line: n.Line, Col: n.Col})
		if !at.IsValid() {
			at = pass.Files[0].Package
		}
		pass.Report(analysis.Diagnostic{Pos: at, Category: "undecided", Message: "undecided: " + quote.Line(who+": "+n.Text)})
		told = true
	}
	if v := cmp.Or(rep.Rest, rep.Verdict); v == robust.Unknown && !told {
		pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Package, Category: "undecided", Message: "undecided: " + quote.Line(rep.Headline)})
	}
}

// named finds a path that settings name. go vet runs its tool in the directory of
// each package, golangci-lint where it was started. So that both mean the same, a
// relative path is looked for in the directory of the package and those above it,
// up to that of the module, and then in the current one.
func named(dir, path string) string {
	for !filepath.IsAbs(path) {
		full := filepath.Join(dir, path)
		if _, err := os.Stat(full); err == nil {
			return full
		}
		up := filepath.Dir(dir)
		if gomod.Is(dir) || up == dir {
			break
		}
		dir = up
	}
	return path
}

// verdict is the report about a program.
func (l *linter) verdict(ctx context.Context, res *analyzer.Result, opt goprogram.Options) (*robust.Report, error) {
	source, err := goprogram.Open(ctx, res, opt)
	if err != nil {
		return nil, err
	}
	p, err := source.Program(ctx)
	if err != nil {
		return nil, err
	}
	ask := check.Options{Engine: engine.Postgres(), Isolation: l.isolation, Shared: true}
	if l.notes {
		if ask.Apart, err = source.ApartInTime(ctx, p); err != nil {
			return nil, err
		}
	}
	return check.Check(ctx, p, ask)
}
