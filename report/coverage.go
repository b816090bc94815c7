package report

// Coverage counts the places where a client program sends statements.
type Coverage struct {
	// Begins are the places where a transaction begins.
	Begins int `json:"begins"`
	// Places are all of them, Modelled those where each statement is modelled
	// exactly.
	Places   int `json:"places"`
	Modelled int `json:"modelled"`
	// Reasons say why the others are not, the most frequent first.
	Reasons []Reason `json:"reasons"`
}

// Reason is why statements are not modelled: the reason of a Havoc without the
// names in it.
type Reason struct {
	Text   string `json:"text"`
	Places int    `json:"places"`
	// File and Line are the first of the places.
	File string `json:"file"`
	Line int    `json:"line"`
}
