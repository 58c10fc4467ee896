package disk

// OpenFaulty opens a store that asks fault before each step it does with its files;
// what fault returns is the error of the step, nil goes on.
var OpenFaulty = open
