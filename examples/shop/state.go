package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cash-mcp/go-sdk/examples/shop/store"
	"github.com/cash-mcp/go-sdk/internal/durable"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	maxState = 64 << 20    // bytes of the file
	maxWait  = time.Minute // for other processes that change it
)

// kept is a shop with its state in a file. Several processes may have the same file. A call that changes something
// locks the file, reads it, and replaces it: nothing is lost, and a process that is killed leaves the old file or the
// new one.
type kept struct {
	shop   *store.Shop
	folder durable.Folder
	name   string
	turn   chan struct{} // full while a call has its turn
}

// keep opens the file, and makes its folder if that is missing. A missing file is the state of a new shop.
func keep(shop *store.Shop, file string) (*kept, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	folder, err := durable.Open(filepath.Dir(path), nil)
	if err != nil {
		return nil, err
	}
	k := &kept{shop, folder, filepath.Base(path), make(chan struct{}, 1)}
	return k, k.load()
}

// middleware wraps every function of the shop. Calls have their turns.
func (k *kept) middleware(next registry.Handler) registry.Handler {
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		if c.Plan != nil {
			return next(ctx, c) // a dry run
		}
		select {
		case k.turn <- struct{}{}:
			defer func() { <-k.turn }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if c.Function.ReadOnly() {
			if err := k.load(); err != nil {
				return nil, unkept("read", true, err)
			}
			return next(ctx, c)
		}
		lock, err := durable.Await(ctx, maxWait, func() (io.Closer, error) { return k.folder.Lock("." + k.name + ".lock") })
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			defer lock.Close()
			err = k.load()
		}
		if err != nil {
			return nil, unkept("read", true, err)
		}
		res, err := next(ctx, c)
		if err != nil {
			return nil, err // the shop is as before
		}
		if err := k.save(); err != nil {
			return nil, unkept("written", false, err)
		}
		return res, nil
	}
}

func unkept(what string, notRun bool, err error) error {
	return &registry.Error{Kind: registry.Unavailable, NotRun: notRun, Err: err,
		Message: "The file with the shop's state could not be " + what + ".", Hint: "Tell the user; the operator has to look."}
}

// load reads the file. It is always a whole one, because it is replaced by renaming.
func (k *kept) load() error {
	var state store.State
	data, err := k.folder.Read(k.name, maxState)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err = d.Decode(&state); err == nil && d.More() {
			err = errors.New("there is something after the state")
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = k.shop.Restore(state)
	}
	if err != nil {
		return fmt.Errorf("the file with the state: %w", err)
	}
	return nil
}

// save replaces the file. The caller has the lock.
func (k *kept) save() error {
	data, err := json.Marshal(k.shop.State())
	if err != nil {
		return err
	}
	temp := "." + k.name + ".new"
	if err := k.folder.Discard(temp); err != nil { // of a process that was killed
		return err
	}
	_, err = k.folder.Replace(temp, k.name, 0o600, func(file *os.File) error {
		_, err := file.Write(append(data, '\n'))
		return err
	})
	return err
}
