package symbolic

// Topics of conditions that Worlds make themselves (World.Topic). Callers may
// use others.
const (
	// TopicTable, followed by the table's name: its domain, checks, keys and
	// references.
	TopicTable = "table "
	// TopicInvariant, followed by the number of an invariant of the program.
	TopicInvariant = "invariant "
	// TopicFresh: FRESH values have not been used before.
	TopicFresh = "fresh"
	// TopicConstant: rows, columns and tables that no template deletes, updates
	// or inserts into (Link).
	TopicConstant = "constant"
	// TopicWindow: what the delayed run writes or locks is unchanged in its
	// window (Link).
	TopicWindow = "window"
)

// about sets the topic.
func (w *World) about(topic string) { w.Topic = topic }
