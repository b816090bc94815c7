package codes_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/golden"
	"github.com/txrobust/robust/internal/witness"
)

// TestCodes: every kind of anomaly has a code, codes are sorted and differ, and
// docs/codes.md says of each what the table says.
func TestCodes(t *testing.T) {
	ids := map[string]string{}
	for _, k := range []witness.Kind{witness.WriteSkew, witness.PhantomWriteSkew, witness.LostUpdate, witness.ReadOnlyAnomaly, witness.LongCycle, witness.LongFork,
		witness.NonRepeatableRead, witness.PhantomRead, witness.ReadSkew, witness.Other} {
		ids[string(k)] = codes.Of(k, false)
	}
	for _, k := range []witness.Kind{witness.WriteSkew, witness.PhantomWriteSkew, witness.LostUpdate, witness.ReadOnlyAnomaly, witness.LongCycle, witness.NonRepeatableRead,
		witness.PhantomRead, witness.ReadSkew, witness.Other} {
		ids["read-committed-"+string(k)] = codes.Of(k, true)
	}
	all := codes.All()
	if !slices.IsSortedFunc(all, func(a, b codes.Code) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the codes are not sorted")
	}
	seen := map[string]bool{}
	var doc strings.Builder
	doc.WriteString("# Codes\n\nEvery message has a code, which never changes its meaning. `robust help CODE` prints what is written here;\n`-- robust: ignore CODE reason` before a function or transaction accepts findings of one kind.\n\n| code | name | what it means |\n| --- | --- | --- |\n")
	for _, c := range all {
		if !regexp.MustCompile(`^RB[1234][01]\d\d$`).MatchString(c.ID) || seen[c.ID] || seen[c.Name] {
			t.Errorf("code %s %s is not well-formed, or there is another one", c.ID, c.Name)
		}
		seen[c.ID], seen[c.Name] = true, true
		if id, ok := ids[c.Name]; ok != c.Finding() || ok && id != c.ID {
			t.Errorf("%s is the code of %s: %v", c.ID, c.Name, id)
		}
		fmt.Fprintf(&doc, "| %s | %s | %s |\n", c.ID, c.Name, c.Summary)
	}
	for _, c := range all {
		fmt.Fprintf(&doc, "\n## %s %s\n\n%s\n\n%s\n", c.ID, c.Name, c.Text, c.Repair)
	}
	golden.Compare(t, "../../docs/codes.md", doc.String())
}
