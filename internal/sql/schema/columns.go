package schema

func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func (t *Table) Keys() []*UniqueKey {
	if t.Key == nil {
		return nil
	}
	return []*UniqueKey{t.Key}
}
