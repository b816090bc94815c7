package migrate

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/program"
	"github.com/txrobust/robust/analyzer/internal/session"
)

// migrationTypes are the structs in whose fields libraries keep the functions that
// migrate a database; migrationPaths the modules whose functions Add… take them.
var (
	migrationTypes = []string{"github.com/go-gormigrate/gormigrate", "gopkg.in/gormigrate", "github.com/pressly/goose"}
	migrationPaths = "github.com/pressly/goose"
	// holding are the modules of migrations, which run before the program works.
	holding = []string{"github.com/pressly/goose", "github.com/golang-migrate/migrate", "github.com/go-gormigrate/gormigrate", "gopkg.in/gormigrate",
		"github.com/rubenv/sql-migrate", "github.com/jackc/tern", "ariga.io/atlas", "github.com/amacneil/dbmate"}
)

// registered gives the functions that an instruction registers as migrations.
func registered(instr ssa.Instruction) []*ssa.Function {
	var out []*ssa.Function
	add := func(v ssa.Value) {
		for {
			c, ok := v.(*ssa.ChangeType)
			if !ok {
				break
			}
			v = c.X
		}
		switch v := v.(type) {
		case *ssa.Function:
			out = append(out, v)
		case *ssa.MakeClosure:
			out = append(out, v.Fn.(*ssa.Function))
		}
	}
	switch i := instr.(type) {
	case *ssa.Store:
		f, ok := i.Addr.(*ssa.FieldAddr)
		if !ok {
			break
		}
		name := gotypes.TypeName(f.X.Type())
		at := strings.LastIndexByte(name, '.')
		for _, p := range migrationTypes {
			if strings.HasPrefix(name, p) && (name[at+1:] == "Migration" || name[at+1:] == "GoFunc") {
				add(i.Val)
			}
		}
	case ssa.CallInstruction:
		c := i.Common().StaticCallee()
		if c != nil && c.Pkg != nil && strings.HasPrefix(c.Pkg.Pkg.Path(), migrationPaths) && strings.HasPrefix(c.Name(), "Add") {
			for _, a := range i.Common().Args {
				add(a)
			}
		}
	}
	return out
}

// New knows gormigrate and goose, which run migrations of databases.
func New(*program.Program) *session.Library {
	return &session.Library{Names: program.Names{Migrations: registered, Holding: holding}}
}
