// Package findings fills reports: it describes programs, witnesses and notes, tells findings
// apart by their fingerprints, and says how sure they are. Package report has what comes of
// it, and writes it.
package findings
