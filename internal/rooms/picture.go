package rooms

import (
	"fmt"
	"go/doc"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Room is a package of the module, as the pictures show it.
type Room struct {
	Name    string // without the path of the module; "" is its root
	Charter string // the first sentence of its documentation
	Imports []string
	// Height is 0 for a package that imports no other one of the module, or else 1 more
	// than the height of the highest that it imports.
	Height int
}

// Picture gives the packages of a module from the highest to the lowest, those of one
// height by name. Commands and what only tests use are among them.
func Picture(list []*packages.Package, module string) []*Room {
	rooms := map[string]*Room{}
	for _, p := range list {
		name, ok := within(p.PkgPath, module)
		if !ok {
			continue
		}
		r := &Room{Name: name, Charter: charter(p)}
		for path := range p.Imports {
			if name, ok := within(path, module); ok {
				r.Imports = append(r.Imports, name)
			}
		}
		slices.Sort(r.Imports)
		rooms[name] = r
	}
	var height func(name string) int
	height = func(name string) int {
		r := rooms[name]
		if r == nil {
			return -1
		}
		for _, imported := range r.Imports {
			r.Height = max(r.Height, height(imported)+1)
		}
		return r.Height
	}
	for name := range rooms {
		height(name)
	}
	return slices.SortedFunc(maps.Values(rooms), func(a, b *Room) int {
		if a.Height != b.Height {
			return b.Height - a.Height
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// Product gives the packages that users can name, and those that these import: the others
// are for tests only.
func Product(all []*Room) []*Room {
	byName := map[string]*Room{}
	for _, r := range all {
		byName[r.Name] = r
	}
	used := map[*Room]bool{}
	var use func(r *Room)
	use = func(r *Room) {
		if used[r] {
			return
		}
		used[r] = true
		for _, name := range r.Imports {
			use(byName[name])
		}
	}
	for _, r := range all {
		if !slices.Contains(strings.Split(r.Name, "/"), "internal") {
			use(r)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(r *Room) bool { return !used[r] })
}

// within gives the name of a package within the module.
func within(path, module string) (name string, ok bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// charter is the first sentence of the documentation of a package.
func charter(p *packages.Package) string {
	for _, f := range p.Syntax {
		if f.Doc != nil {
			return new(doc.Package).Synopsis(f.Doc.Text())
		}
	}
	return ""
}

// Title is what a picture calls a package.
func (r *Room) Title() string {
	if r.Name == "" {
		return "robust"
	}
	return r.Name
}

// Table writes the packages as a table in Markdown.
func Table(rooms []*Room) string {
	var b strings.Builder
	b.WriteString("| package | what it is for |\n|---|---|\n")
	for _, r := range rooms {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.Title(), strings.ReplaceAll(r.Charter, "|", `\|`))
	}
	return b.String()
}

// Dot writes the imports for Graphviz. An import that follows from others is left out.
func Dot(rooms []*Room) string {
	byName := map[string]*Room{}
	for _, r := range rooms {
		byName[r.Name] = r
	}
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		return slices.ContainsFunc(byName[from].Imports, func(next string) bool { return next == to || reaches(next, to) })
	}
	var b strings.Builder
	b.WriteString("digraph packages {\n  rankdir=TB; node [shape=box, fontname=\"sans-serif\", fontsize=10]; edge [color=gray50];\n")
	for _, r := range rooms {
		fmt.Fprintf(&b, "  %q;\n", r.Title())
		for _, to := range r.Imports {
			if !slices.ContainsFunc(r.Imports, func(other string) bool { return other != to && reaches(other, to) }) {
				fmt.Fprintf(&b, "  %q -> %q;\n", r.Title(), byName[to].Title())
			}
		}
	}
	b.WriteString("}\n")
	return b.String()
}
