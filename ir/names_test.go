package ir

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{{"t"}, {"s", "t"}, {"s.t"}, {"a", "b", "c"}, {`a"b`, "c"}, {`"s"`, "t"}, {"s", ""}, {"", "t"}, {`a"."b`}, {"é.x", "y"}} {
		name := JoinName(parts)
		if other := seen[name]; other != nil {
			t.Errorf("%q and %q have one name, %s", parts, other, name)
		}
		seen[name] = parts
		if got := NameParts(name); !slices.Equal(got, parts) {
			t.Errorf("%q becomes %s, and that %q", parts, name, got)
		}
	}
}
