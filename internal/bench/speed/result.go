package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
	"github.com/cash-mcp/go-sdk/registry"
)

// wholeResults is the largest result that goes through a transport: one message holds it all.
const wholeResults = 10_000_000

func resultCharts() []chart {
	return []chart{{
		name: "results", title: "Results", axis: "bytes", sizes: []int{1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000}, short: []int{1000, 100_000, 1_000_000},
		work: "A function returns a text, a JSON list of records. Call withholds it above 10,000 characters, unless it asks for all; tool_execute redacts secrets, describes it and keeps it. " +
			"The last three go to a client of the SDK in memory. The floor encodes the text as JSON.",
		subjects: []subject{
			{name: "json.Marshal", kind: floor, setup: func(t *trial) (func(int) error, error) {
				text := records(t.size)
				return func(int) error {
					data, err := json.Marshal(text)
					return some(len(data), err)
				}, nil
			}},
			{name: serverCall, setup: func(t *trial) (func(int) error, error) {
				srv := cash.NewServer(answering(t.size), nil)
				return func(int) error {
					res, err := srv.Call(t.ctx, &cash.CallRequest{Function: "list"})
					if err != nil {
						return err
					}
					return some(len(res.Text()), nil)
				}, nil
			}},
			{name: "Server.Call, all of it", setup: func(t *trial) (func(int) error, error) {
				srv, all := cash.NewServer(answering(t.size), nil), t.size
				return func(int) error {
					res, err := srv.Call(t.ctx, &cash.CallRequest{Function: "list", SizeLimit: &all})
					if err != nil {
						return err
					}
					return holds(res.Text(), lastRecord)
				}, nil
			}},
			{name: "tool_execute", setup: func(t *trial) (func(int) error, error) {
				reg := answering(t.size)
				f, err := reg.Function(t.ctx, "", "list")
				if err != nil {
					return nil, err
				}
				srv := gateway.NewServer(reg, &gateway.Options{Firewall: firewall.New(&firewall.Options{Store: firewall.NewMemory(
					&firewall.MemoryOptions{MaxBytes: 1 << 30, MaxBytesPerOwner: 1 << 29, Promise: time.Nanosecond})})})
				return func(int) error {
					res, err := srv.Execute(t.ctx, &gateway.ExecuteRequest{ID: f.ID().String()})
					if err != nil {
						return err
					}
					return some(len(res.Text()), nil)
				}, nil
			}},
			{name: "plain, to a client", most: wholeResults, setup: func(t *trial) (func(int) error, error) {
				return sent(t, plain.NewServer(answering(t.size), nil))
			}},
			{name: "SDK raw, to a client", kind: peer, like: "plain, to a client", most: wholeResults, setup: func(t *trial) (func(int) error, error) {
				srv, text := mcp.NewServer(&mcp.Implementation{Name: "raw", Version: "1"}, nil), records(t.size)
				srv.AddTool(&mcp.Tool{Name: "list", InputSchema: raw(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
				})
				return sent(t, srv)
			}},
		},
	}, {
		name: "artifacts", title: "Artifacts", axis: "artifacts", sizes: []int{10, 100, 1000, 10_000, 100_000}, short: []int{10, 100},
		work: "Artifacts of 1 KB are kept in a full store. One more takes the place of the oldest; or one is opened.", built: "filling the store", per: "artifact",
		subjects: []subject{
			{name: "keep in memory", setup: keeping(inRAM)},
			{name: "open in memory", setup: opening(inRAM)},
			{name: "keep on disk", most: onDiskAtMost, setup: keeping(onDisk)},
			{name: "open on disk", most: onDiskAtMost, setup: opening(onDisk)},
		},
	}}
}

// onDiskAtMost keeps the filling of stores within some seconds: a disk takes some milliseconds for each artifact.
const onDiskAtMost = 1000

// lastRecord ends every text.
const lastRecord = `"the last one"}]`

// records returns a JSON list of n bytes.
func records(n int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := 0; ; i++ {
		record := fmt.Sprintf(`{"id":%d,"name":"record %d","tags":["a","b"],"note":"A note of some length on the record."},`+"\n", i, i)
		if b.Len()+len(record)+len(`{"note":`+lastRecord) > n {
			break
		}
		b.WriteString(record)
	}
	rest := n - b.Len() - len(`{"note":`+lastRecord)
	return b.String() + strings.Repeat(" ", max(rest, 0)) + `{"note":` + lastRecord
}

// answering returns a registry with a function that returns n bytes.
func answering(n int) *registry.Registry {
	reg, text := registry.New(nil), records(n)
	f, err := registry.RawFunc("list", "List records.", nil, func(context.Context, json.RawMessage) (*registry.Result, error) {
		return registry.TextResult(text), nil
	}, registry.ReadOnly)
	if err != nil {
		panic(err)
	}
	reg.Namespace("", "").Add(f)
	return reg
}

// sent calls the function list over a connection in memory.
func sent(t *trial, srv interface {
	Run(context.Context, mcp.Transport) error
}) (func(int) error, error) {
	session, err := inMemory(t, srv)
	if err != nil {
		return nil, err
	}
	return func(int) error {
		res, err := session.CallTool(t.ctx, &mcp.CallToolParams{Name: "list"})
		if err != nil {
			return err
		}
		return holds(text(res), lastRecord)
	}, nil
}

// A store of n artifacts, whose promises are over at once.

func inRAM(_ *trial, n int) (firewall.Store, error) {
	return firewall.NewMemory(&firewall.MemoryOptions{MaxArtifacts: n, MaxPerOwner: n, MaxBytes: 1 << 30, MaxBytesPerOwner: 1 << 30, Promise: time.Nanosecond}), nil
}

func onDisk(t *trial, n int) (firewall.Store, error) {
	store, err := disk.Open(t.dir, &disk.Options{MaxArtifacts: n, MaxPerOwner: n, MaxBytes: 1 << 30, MaxBytesPerOwner: 1 << 30, Promise: time.Nanosecond})
	if err == nil {
		t.cleanup(func() { _ = store.Close() })
	}
	return store, err
}

var artifactOwner = firewall.Owner{ID: "caller:ann"}

func keeping(open func(*trial, int) (firewall.Store, error)) func(*trial) (func(int) error, error) {
	return func(t *trial) (func(int) error, error) {
		store, _, err := crowded(t, open)
		return func(int) error {
			_, err := keep(t.ctx, store)
			return err
		}, err
	}
}

func opening(open func(*trial, int) (firewall.Store, error)) func(*trial) (func(int) error, error) {
	return func(t *trial) (func(int) error, error) {
		store, handle, err := crowded(t, open)
		return func(int) error {
			a, err := store.Open(t.ctx, artifactOwner.ID, handle)
			if err == nil && a == nil {
				err = errors.New("no artifact")
			}
			return err
		}, err
	}
}

// crowded returns a store with as many artifacts as the size, and the handle of the latest. Several keep them at a
// time, since a disk takes its time for each.
func crowded(t *trial, open func(*trial, int) (firewall.Store, error)) (firewall.Store, string, error) {
	t.mark()
	store, err := open(t, t.size)
	if err != nil {
		return nil, "", err
	}
	var filling errgroup.Group
	filling.SetLimit(32)
	for range t.size - 1 {
		filling.Go(func() error {
			_, err := keep(t.ctx, store)
			return err
		})
	}
	if err := filling.Wait(); err != nil {
		return nil, "", err
	}
	handle, err := keep(t.ctx, store)
	return store, handle, err
}

func keep(ctx context.Context, store firewall.Store) (string, error) {
	room, err := store.Reserve(ctx, artifactOwner, 1000)
	if err != nil {
		return "", err
	}
	defer room.Release()
	refs, err := room.Keep(ctx, []firewall.Part{{Data: bytes.Repeat([]byte("x"), 1000), MediaType: "text/plain"}})
	if err != nil {
		return "", err
	}
	return refs[0].Handle, nil
}
