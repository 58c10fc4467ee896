//go:build !race

package check

// rowStep is the distance of the rows that have their wrong server.
const rowStep = 1
