// Package control holds what decides about calls between validation and the
// function: so far [Replays], the store of results that were too large to
// deliver.
//
// # Limits
//
// The store in memory is bounded in bytes, age and number per owner. When it is
// full it keeps no further result, and says so: what it has promised to hold it
// holds.
package control
