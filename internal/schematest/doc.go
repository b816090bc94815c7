// Package schematest reads JSON schemas and what they describe, for tests that
// make sure that the JSON which the project writes fits the schemas it comes with.
//
// The package is meant for tests only.
package schematest
