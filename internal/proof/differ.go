package proof

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxDifferences is how many differences of two manifests are told.
const maxDifferences = 5

// differences says which fields of a manifest are not those of the one that was
// made from the sources.
func differences(want, got []byte) []string {
	var a, b any
	if decodeAny(want, &a) != nil || decodeAny(got, &b) != nil {
		return []string{manifestFile + ": it is not what the sources give"}
	}
	d := &differ{}
	d.compare("", a, b)
	if len(d.found) == 0 {
		return []string{manifestFile + ": it is not written as the sources give it"}
	}
	if n := len(d.found); n > maxDifferences {
		d.found = append(d.found[:maxDifferences], fmt.Sprintf("%s: and %d other fields are not those of the sources", manifestFile, n-maxDifferences))
	}
	return d.found
}

func decodeAny(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(v)
}

// differ compares values of JSON, whatever their fields are.
type differ struct{ found []string }

func (d *differ) compare(path string, want, got any) {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			keys := slices.Concat(slices.Collect(maps.Keys(w)), slices.Collect(maps.Keys(g)))
			slices.Sort(keys)
			for _, k := range slices.Compact(keys) {
				d.member(strings.TrimPrefix(path+"."+k, "."), w, g, k)
			}
			return
		}
	case []any:
		if g, ok := got.([]any); ok {
			for i := range min(len(w), len(g)) {
				d.compare(fmt.Sprintf("%s[%d]", path, i), w[i], g[i])
			}
			for i := len(g); i < len(w); i++ {
				d.add("%s[%d] must be %s, but is missing", path, i, shown(w[i]))
			}
			for i := len(w); i < len(g); i++ {
				d.add("%s[%d] must not be there, but is %s", path, i, shown(g[i]))
			}
			return
		}
	default:
		if want == got {
			return
		}
	}
	d.add("%s must be %s, but is %s", path, shown(want), shown(got))
}

func (d *differ) member(path string, want, got map[string]any, key string) {
	w, wanted := want[key]
	g, there := got[key]
	switch {
	case !wanted:
		d.add("%s must not be there, but is %s", path, shown(g))
	case !there:
		d.add("%s must be %s, but is missing", path, shown(w))
	default:
		d.compare(path, w, g)
	}
}

func (d *differ) add(format string, args ...any) {
	d.found = append(d.found, manifestFile+": "+fmt.Sprintf(format, args...))
}

// maxShown is how many characters of a value are shown.
const maxShown = 200

func shown(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if r := []rune(string(text)); len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return string(text)
}
