package infile

// unblocked is nothing: what a browser has is a regular file.
const unblocked = 0
