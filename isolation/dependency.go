package isolation

// Dependency is a reason why one transaction comes before another: the type of
// an edge of a serialization graph.
type Dependency uint8

const (
	WW Dependency = iota // the second overwrote what the first wrote
	WR                   // the second read what the first wrote
	RW                   // the second overwrote what the first read
	SO                   // both are of one session
	RT                   // the first ended before the second began
	numDependencies
)

var dependencies = [numDependencies]struct{ name, adya, words string }{
	WW: {"WW", "write dependency", "wrote after"},
	WR: {"WR", "read dependency", "read from"},
	RW: {"RW", "anti-dependency", "overwrote what was read by"},
	SO: {"SO", "session order", "came later in the session of"},
	RT: {"RT", "real-time order", "began after the end of"},
}

// String is the short name: WW, WR, RW, SO or RT.
func (d Dependency) String() string { return dependencies[d].name }

// Long is Adya's name, or that of the order.
func (d Dependency) Long() string { return dependencies[d].adya }

// Words says what the second transaction of an edge did to the first.
func (d Dependency) Words() string { return dependencies[d].words }
