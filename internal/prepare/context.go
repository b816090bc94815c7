package prepare

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// Context says what questions depend on besides the tables, the invariants and
// the templates that take part: what the other templates change, and which
// columns hold values of one kind.
func (c *Code) Context() string {
	var b strings.Builder
	for i, t := range c.Program.Tables {
		fmt.Fprintf(&b, "%d %v %v %v", i, c.Deleted[t], c.Inserted[t], c.Updated[t])
		for col := range t.Columns {
			fmt.Fprintf(&b, " %s", c.kind(Column{t, col}))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "table locks %v\n", c.TableLocks)
	return b.String()
}

// Kinds says which columns hold values of the kind of each parameter and local
// of a template.
func (c *Code) Kinds(t *ir.Txn) string {
	var b strings.Builder
	for _, p := range t.Params {
		fmt.Fprintf(&b, "%q %s\n", p.Name, c.kind(local{t, p.Name}))
	}
	for _, l := range t.Locals {
		fmt.Fprintf(&b, "%q %s\n", l.Name, c.kind(local{t, l.Name}))
	}
	return b.String()
}

// kind names a class by its first column, or not at all.
func (c *Code) kind(x any) string {
	class := c.Classes.Find(x)
	for i, t := range c.Program.Tables {
		for col := range t.Columns {
			if c.Classes.Find(Column{t, col}) == class {
				return fmt.Sprintf("%d.%d", i, col)
			}
		}
	}
	return "-"
}
