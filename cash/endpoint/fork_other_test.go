//go:build !unix

package endpoint_test

func fork(string, bool) int { return 1 }
