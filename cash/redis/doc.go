// Package redis shares the state of a server's replicas over Redis or Valkey.
package redis
