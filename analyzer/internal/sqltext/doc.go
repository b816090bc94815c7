// Package sqltext puts texts of SQL together from parts that have values in them, as the
// libraries do that build statements, and sends them.
package sqltext
