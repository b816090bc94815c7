// Package anomalies numbers the anomalies of package isolation, which knows what they are.
// Users of the library know them by their names (isolation.ParseAnomaly).
package anomalies

// The anomalies are numbers without a type, so that they are isolation.Anomaly wherever one
// stands.
const (
	G0 = iota
	DuplicateElements
	CyclicVersions
	G1a
	G1b
	G1c
	ThinAirRead
	FutureRead
	NotMyOwnWrite
	NotMyLastWrite
	Internal
	DirtyUpdate
	IncompatibleOrder
	GMonotonic
	NonRepeatableRead
	ReadSkew
	LostUpdate
	GSingleItem
	GSingle
	LongFork
	GNonadjacentItem
	GNonadjacent
	WriteSkew
	ReadOnlyAnomaly
	G2Item
	Phantom
	G2
	CyclicCO
	NonMonoReadCO
	NonMonoReadAO
	FracturedReadCO
	FracturedReadAO
	COConflictAO
	ConflictAO
	G0Process
	G1cProcess
	GSingleProcess
	GNonadjacentProcess
	G2ItemProcess
	G2Process
	G0Realtime
	G1cRealtime
	GSingleRealtime
	GNonadjacentRealtime
	G2ItemRealtime
	G2Realtime
	BackwardSession
	Count
)
