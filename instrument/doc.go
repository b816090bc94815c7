// Package instrument.
package instrument
