package files

// OpenFaulty opens files that ask fault before each step they do on the disk; what
// fault returns is the error of the step, nil goes on.
var OpenFaulty = open
