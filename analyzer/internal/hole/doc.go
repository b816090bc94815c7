// Package hole works on texts of statements of which parts are not known: a hole stands for
// each. It knows neither SQL nor values.
package hole
