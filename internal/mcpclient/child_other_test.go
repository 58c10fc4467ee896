//go:build !unix

package mcpclient_test

func serve(string) {}
