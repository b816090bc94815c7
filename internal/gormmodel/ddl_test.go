package gormmodel

import (
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// models type-checks a source text and gives the models of its structs by name.
func models(t *testing.T, src string) (*Parser, map[string]*Model) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "m.go"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	ps, err := packages.Load(&packages.Config{Mode: packages.LoadTypes, Dir: dir, Context: t.Context()}, "m.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(ps) != 1 || packages.PrintErrors(ps) > 0 {
		t.Fatalf("%d packages", len(ps))
	}
	pkg := ps[0].Types
	p := &Parser{TableName: func(n *types.Named) (string, bool) {
		if n.Obj().Name() == "Renamed" {
			return "app.renamed", true
		}
		return "", false
	}}
	out := map[string]*Model{}
	for _, name := range pkg.Scope().Names() {
		if m := p.Model(pkg.Scope().Lookup(name).Type()); m != nil {
			out[name] = m
		}
	}
	return p, out
}

const source = `package m

import (
	"database/sql"
	"time"
)

type Base struct {
	ID        uint ` + "`gorm:\"primarykey\"`" + `
	CreatedAt time.Time
	UpdatedAt time.Time
}

type User struct {
	Base
	Name     string ` + "`gorm:\"size:100;not null;uniqueIndex:by_name,where:active\"`" + `
	Email    *string ` + "`gorm:\"unique;column:mail\"`" + `
	Active   bool ` + "`gorm:\"default:true\"`" + `
	Age      sql.NullInt64
	Secret   []byte
	Order    int32
	Skipped  string ` + "`gorm:\"-\"`" + `
	CompanyID uint
	Company  Company ` + "`gorm:\"constraint:OnDelete:CASCADE\"`" + `
	Cards    []Card
	hidden   int
}

type Company struct {
	Code string ` + "`gorm:\"primaryKey;type:char(3)\"`" + `
	Home Address ` + "`gorm:\"embedded;embeddedPrefix:home_\"`" + `
}

type Address struct{ Street string }

type Card struct {
	ID     int64
	UserID uint ` + "`gorm:\"uniqueIndex:once\"`" + `
	Number string ` + "`gorm:\"uniqueIndex:once;check:number <> ''\"`" + `
	Fee    float64 ` + "`gorm:\"precision:10;scale:2\"`" + `
}

type Renamed struct {
	A int ` + "`gorm:\"primaryKey;autoIncrement:false\"`" + `
	B uint32 ` + "`gorm:\"primaryKey;autoIncrement:false\"`" + `
}
`

func TestSchema(t *testing.T) {
	_, m := models(t, source)
	var b strings.Builder
	for _, s := range Schema([]*Model{m["User"], m["Company"], m["Card"], m["Renamed"]}, true) {
		b.WriteString(s.SQL)
		if !strings.Contains(s.SQL, s.Model.Table) {
			t.Errorf("%q is not about %s", s.SQL, s.Model.Table)
		}
	}
	got := b.String()
	want := `CREATE TABLE app.renamed (
  a bigint,
  b bigint,
  PRIMARY KEY (a, b)
);
CREATE TABLE cards (
  id bigserial,
  user_id bigint,
  number text,
  fee numeric(10, 2),
  PRIMARY KEY (id),
  CHECK (number <> '')
);
CREATE TABLE companies (
  code char(3),
  home_street text,
  PRIMARY KEY (code)
);
CREATE TABLE users (
  id bigserial,
  created_at timestamptz,
  updated_at timestamptz,
  name varchar(100) NOT NULL,
  mail text,
  active boolean DEFAULT true,
  age bigint,
  secret bytea,
  "order" integer,
  company_id bigint,
  PRIMARY KEY (id),
  UNIQUE (mail)
);
CREATE UNIQUE INDEX once ON cards (user_id, number);
CREATE UNIQUE INDEX by_name ON users (name) WHERE active;
ALTER TABLE cards ADD FOREIGN KEY (user_id) REFERENCES users (id);
ALTER TABLE users ADD FOREIGN KEY (company_id) REFERENCES companies (code) ON DELETE CASCADE;
`
	if got != want {
		t.Errorf("schema:\n%s\nwant:\n%s", got, want)
	}
}

func TestModel(t *testing.T) {
	_, m := models(t, source)
	u := m["User"]
	if k := u.Key(); k == nil || k.Column != "id" || !k.Auto || len(k.Path) != 2 {
		t.Errorf("key of users: %+v", k)
	}
	if f := u.Field("UpdatedAt"); f == nil || !f.AutoUpdate || f.AutoCreate {
		t.Errorf("updated_at: %+v", f)
	}
	if f := u.Field("Active"); !f.HasDefault || !f.Constant || f.Default != "true" {
		t.Errorf("active: %+v", f)
	}
	if f := u.Field("skipped"); f != nil {
		t.Errorf("a field without a column: %+v", f)
	}
	if r := u.Relation("Company"); r == nil || r.Kind != BelongsTo || r.Own[0] != "company_id" || r.Theirs[0] != "code" {
		t.Errorf("company: %+v", r)
	}
	if r := u.Relation("Cards"); r == nil || r.Kind != HasMany || r.Own[0] != "id" || r.Theirs[0] != "user_id" {
		t.Errorf("cards: %+v", r)
	}
	if m["Renamed"].Key() != nil {
		t.Error("a key of two columns orders nothing")
	}
}
