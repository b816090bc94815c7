package gormmodel

import (
	"strings"

	"github.com/jinzhu/inflection"
)

// Naming are the options of GORM's NamingStrategy. The zero value is what GORM
// uses by itself.
type Naming struct {
	TablePrefix   string
	SingularTable bool
	NoLowerCase   bool
}

// Table gives the table for structs of a name.
func (n Naming) Table(name string) string {
	if n.SingularTable {
		return n.TablePrefix + n.Column(name)
	}
	return n.TablePrefix + inflection.Plural(n.Column(name))
}

// initialisms are words that are written in capitals in names of Go; in a name of
// the database they are one word. The order decides where one begins another.
var initialisms = []string{"API", "ASCII", "CPU", "CSS", "DNS", "EOF", "GUID", "HTML", "HTTP", "HTTPS", "ID", "IP", "JSON", "LHS", "QPS", "RAM",
	"RHS", "RPC", "SLA", "SMTP", "SSH", "TLS", "TTL", "UID", "UI", "UUID", "URI", "URL", "UTF8", "VM", "XML", "XSRF", "XSS"}

var asWords = func() *strings.Replacer {
	var pairs []string
	for _, w := range initialisms {
		pairs = append(pairs, w, w[:1]+strings.ToLower(w[1:]))
	}
	return strings.NewReplacer(pairs...)
}()

// Column gives the column for fields of a name: the words of it, with _ between
// them.
func (n Naming) Column(name string) string {
	if name == "" || n.NoLowerCase {
		return name
	}
	name = asWords.Replace(name)
	upper := func(i int) bool { return i >= 0 && i < len(name) && 'A' <= name[i] && name[i] <= 'Z' }
	digit := func(i int) bool { return i < len(name) && '0' <= name[i] && name[i] <= '9' }
	var out strings.Builder
	last := len(name) - 1
	for i := range len(name) {
		if !upper(i) {
			out.WriteByte(name[i])
			continue
		}
		// Within a run of capitals only the last one, before a small letter, begins a
		// word.
		begins := i > 0 && !(upper(i-1) && (upper(i+1) || digit(i+1)))
		switch {
		case i == last:
			begins = i > 0 && !upper(i-1)
		case begins:
			begins = name[i-1] != '_' && name[i+1] != '_'
		}
		if begins {
			out.WriteByte('_')
		}
		out.WriteByte(name[i] - 'A' + 'a')
	}
	return out.String()
}
