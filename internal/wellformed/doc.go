// Package wellformed checks programs: names are declared, types fit, statements stand where they
// may, and a text is not too deep or long. Structure brings labelled transactions into the form
// that all other packages read.
package wellformed
