// Package config reads the configuration file of an aggregator: the MCP servers to mount, the manifests of others,
// how definitions are pinned, and the face and the controls before them. Package cash/config makes a server of it.
//
//	file, err := config.Load("tools.yaml")
//	if err != nil {
//		log.Fatal(err) // tools.yaml:7:14: upstreams[0].timeout: "soon" is not a duration ...
//	}
//	agg := upstream.New(reg, &upstream.Options{Name: file.Name, Version: file.Version, Mode: file.Pins.Mode})
//	for _, s := range file.Upstreams {
//		err = agg.Add(s)
//	}
//	err = agg.Discover(file.Manifests...)
//
// [File] lists all keys. Reading starts no process and opens no connection.
//
//	text ──► YAML ──► keys ──► variables ──► checks ──► File
//	                     └── every problem, with its line ──► error
//
// # Limits
//
// A file has no accounts of callers: set [upstream.Server].Credentials in Go. It has at most 1 MiB
// ([MaxBytes]), 1,000 upstreams and 1,000 manifests; variables bring in at most 4 MiB. Files do not include one another.
package config
