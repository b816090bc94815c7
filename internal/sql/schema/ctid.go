package schema

import "strings"

// TidPrefix begins the names of the types of ctid, one for each table.
const TidPrefix = "tid of "

func (t Type) IsTid() bool { return strings.HasPrefix(t.Name, TidPrefix) }
