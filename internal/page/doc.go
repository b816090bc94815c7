// Package page has what the pages for browsers share: a frame of one file without links,
// so that it can be mailed and opened without a network, the colours, a bar to step
// through something, boxes and arrows. It knows nothing of what is shown.
package page
