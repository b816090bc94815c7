package pg

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Print gives a tree as text, one line for each tree in it, with its fields and where it stands;
// place gives the place of an offset.
func Print(root Message, place func(off int) string) string {
	p := &printer{place: place}
	p.tree(root.ProtoReflect(), 0, "")
	return strings.TrimSuffix(p.out.String(), "\n")
}

type printer struct {
	out   strings.Builder
	place func(off int) string
}

// tree prints a tree that is the field called label of another one.
func (p *printer) tree(m protoreflect.Message, depth int, label string) {
	if _, wrapper := m.Interface().(*Node); wrapper {
		if fd := m.WhichOneof(nodeOneof()); fd != nil {
			p.tree(m.Get(fd).Message(), depth, label)
		}
		return
	}
	fmt.Fprintf(&p.out, "%s%s%s", strings.Repeat("  ", depth), label, m.Descriptor().Name())
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if fd.Message() == nil && !fd.IsList() && m.Has(fd) && fd.Name() != "location" {
			fmt.Fprintf(&p.out, " %s=%s", fd.Name(), scalar(fd, m.Get(fd)))
		}
	}
	if at := fields.ByName("location"); at != nil && m.Get(at).Int() >= 0 {
		fmt.Fprintf(&p.out, " at %s", p.place(int(m.Get(at).Int())))
	}
	p.out.WriteString("\n")
	for i := range fields.Len() {
		fd := fields.Get(i)
		if fd.Message() == nil || !m.Has(fd) {
			continue
		}
		label := string(fd.Name()) + ": "
		if !fd.IsList() {
			p.tree(m.Get(fd).Message(), depth+1, label)
			continue
		}
		for j, l := 0, m.Get(fd).List(); j < l.Len(); j++ {
			p.tree(l.Get(j).Message(), depth+1, label)
		}
	}
}

// scalar prints the value of a field.
func scalar(fd protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch fd.Kind() {
	case protoreflect.EnumKind:
		if e := fd.Enum().Values().ByNumber(v.Enum()); e != nil {
			return string(e.Name())
		}
	case protoreflect.StringKind:
		return strconv.Quote(v.String())
	}
	return v.String()
}
