package schema

// Column finds a column, nil if there is none.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Keys gives the primary key as a list, which is empty if there is none.
func (t *Table) Keys() []*UniqueKey {
	if t.Key == nil {
		return nil
	}
	return []*UniqueKey{t.Key}
}
