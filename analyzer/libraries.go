package analyzer

import (
	"go/ast"
	"go/token"
	"go/types"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/evalorder"
	"github.com/txrobust/robust/analyzer/internal/libs/bun"
	"github.com/txrobust/robust/analyzer/internal/libs/ent"
	"github.com/txrobust/robust/analyzer/internal/libs/gopg"
	"github.com/txrobust/robust/analyzer/internal/libs/gorm"
	"github.com/txrobust/robust/analyzer/internal/libs/gorp"
	"github.com/txrobust/robust/analyzer/internal/libs/migrate"
	"github.com/txrobust/robust/analyzer/internal/libs/pgx"
	"github.com/txrobust/robust/analyzer/internal/libs/sql"
	"github.com/txrobust/robust/analyzer/internal/libs/sqlboiler"
	"github.com/txrobust/robust/analyzer/internal/libs/sqlx"
	"github.com/txrobust/robust/analyzer/internal/libs/squirrel"
	"github.com/txrobust/robust/analyzer/internal/libs/std"
	"github.com/txrobust/robust/analyzer/internal/libs/yesql"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
)

// libraries are the models of libraries, in the order in which they are asked.
var libraries = []func(p *program.Program) *session.Library{
	std.New, sql.New, pgx.New, sqlx.New, gorm.New, gorp.New, squirrel.New, gopg.New, bun.New, ent.New, sqlboiler.New, migrate.New, yesql.New,
}

// names is what the names of all libraries mean, whatever the program.
var names = sync.OnceValue(func() *program.Knowledge {
	none := &program.Program{}
	return program.NewKnowledge(session.NewAnalysis().Use(none, modelLibraries(none)))
})

// modelLibraries gives the models of all libraries for a program.
func modelLibraries(p *program.Program) []*session.Library {
	var out []*session.Library
	for _, make := range libraries {
		out = append(out, make(p))
	}
	return out
}

// Concerns reports whether a package may use a database: it imports, directly or
// not, a library that does, and is not part of one.
func Concerns(pkg *types.Package) bool { return names().Concerns(pkg) }

// newExtractor reads a program in which transactions are looked for.
func newExtractor(fset *token.FileSet, dir string, pkgs []*ssa.Package, files []*ast.File) (*extractor, error) {
	if len(pkgs) > 0 {
		evalorder.Settle(pkgs[0].Prog)
	}
	a := session.NewAnalysis()
	_, err := program.New(fset, dir, pkgs, files, func(p *program.Program) []*program.Names { return a.Use(p, modelLibraries(p)) })
	return &extractor{a}, err
}
