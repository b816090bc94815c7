package builtin

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/sql/value"
)

// TestList writes down which functions are known.
func TestList(t *testing.T) {
	signatures := map[string][]string{} // by name
	for _, s := range slices.Concat(slices.Collect(maps.Keys(value.Evaluators)), slices.Collect(maps.Keys(value.Families))) {
		if declared(s) != nil {
			name, _, _ := strings.Cut(s, "(")
			signatures[name] = append(signatures[name], s)
		}
	}
	var b strings.Builder
	b.WriteString(`# Functions

The value of these functions of PostgreSQL is computed (package ` + "`internal/sql/builtin`" + `), and compared with the server's for random
arguments. Of all others it is known what they take and give, and whether they change anything; they give equal results for equal
arguments. *NULL*: there are arguments that are not NULL for which the result is. *Error*: there are arguments for which there is
an error that is none of range, so that a proof observes the rows for which that may be; a number says which argument
decides. This list is written by ` + "`go test ./internal/sql/builtin -run TestList -update`" + `.

| function | arguments | NULL | error |
| --- | --- | --- | --- |
`)
	for _, name := range slices.Sorted(maps.Keys(signatures)) {
		rows := map[string][]string{}
		for _, s := range signatures[name] {
			f := declared(s)
			fn := value.Called(f, nil, nil)
			null, fails := "", ""
			if f.Strict && fn.Partial {
				null = "yes"
			}
			for _, i := range fn.FailsOn {
				if i < len(f.Args) {
					fails = strings.TrimPrefix(fails+fmt.Sprintf(", %d", i+1), ", ")
				}
			}
			key := null + " | " + fails
			rows[key] = append(rows[key], "("+strings.Join(f.Args, ", ")+")")
		}
		for _, key := range slices.Sorted(maps.Keys(rows)) {
			slices.Sort(rows[key])
			fmt.Fprintf(&b, "| %s | %s | %s |\n", name, strings.ReplaceAll(strings.Join(rows[key], " "), "|", "\\|"), key)
		}
	}
	golden.Compare(t, "../../../docs/functions.md", b.String())
}
