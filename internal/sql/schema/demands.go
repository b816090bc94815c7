package schema

// RefusesNull is what the NOT NULL of a domain refuses. It is not checked where a value has the
// type of the domain already, which is not known here, and may be NULL all the same.
func (u *UserType) RefusesNull() string {
	if u.NotNull() {
		return u.Refusal()
	}
	return ""
}

// Demanding reports whether a domain, which may be nil, refuses values.
func (u *UserType) Demanding() bool { return u.NotNull() || len(u.Checks()) > 0 }

// Refusal names what a domain may refuse values with.
func (u *UserType) Refusal() string { return "the check of the domain " + u.names[len(u.names)-1].name }
