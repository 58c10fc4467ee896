package files

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

type moveInput struct {
	Path string `json:"path" jsonschema:"File or folder, relative to the root." cash:"example=src/old.go"`
	To   string `json:"to" jsonschema:"Its new path. Nothing may be there. Folders on the way are made." cash:"example=src/new.go"`
}

// A moved is what was renamed.
type moved struct {
	Path string `json:"path" cash:"detail=minimal"` // the new one
	From string `json:"from" cash:"detail=standard"`
	Type string `json:"type" cash:"detail=standard"` // file or folder
}

func (f *Files) move(ctx context.Context, in moveInput) (*moved, error) {
	from, err := cleanPath(in.Path)
	if err != nil {
		return nil, err
	}
	to, err := cleanPath(in.To)
	if err != nil {
		return nil, err
	}
	end, err := f.writing(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	info, err := f.checkMove(ctx, from, to)
	if err != nil {
		return nil, err
	}
	made, err := f.makeFolders(to)
	if err != nil {
		return nil, err
	}
	if err := f.disk.Rename(from, to); err != nil {
		for _, folder := range slices.Backward(made) {
			_ = f.disk.Remove(folder) // an empty folder does no harm
		}
		return nil, ioError("Moving", from, err)
	}
	f.flush(ctx, path.Dir(to))
	if path.Dir(from) != path.Dir(to) {
		f.flush(ctx, path.Dir(from))
	}
	return &moved{to, from, newEntry(to, info).Type}, nil
}

// checkMove returns the info of what is to be moved, or why it cannot be.
func (f *Files) checkMove(ctx context.Context, from, to string) (fs.FileInfo, error) {
	_, info, err := f.find(from, toEdit)
	if err != nil {
		return nil, err
	}
	if info == nil {
		return nil, notFound(from)
	}
	if !info.IsDir() {
		if err := checkRegular(from, info); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(to, from+"/") {
		return nil, failed("%s cannot be moved into itself.", quote(from))
	}
	_, there, err := f.find(to, toEdit)
	switch {
	case err != nil:
		return nil, err
	case there != nil:
		return nil, failed("%s exists already. Nothing was moved.", quote(to))
	case f.fixed(to, info.IsDir()):
		return nil, reserved(to)
	case info.IsDir():
		return info, f.checkBelow(ctx, from, to)
	}
	return info, nil
}

// checkBelow returns an error if a folder cannot be moved because something in it may not be changed, or not be there.
func (f *Files) checkBelow(ctx context.Context, from, to string) error {
	todo := []string{""}
	for visited := 0; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		bad := ""
		err := f.disk.Names(path.Join(from, at), func(e fs.DirEntry) bool {
			rel := path.Join(at, e.Name())
			visited++
			if e.IsDir() {
				todo = append(todo, rel)
			}
			target := path.Join(to, rel)
			if f.fixed(path.Join(from, rel), e.IsDir()) || f.fixed(target, e.IsDir()) || len(target) > maxPath || strings.Count(target, "/") >= maxDepth {
				bad = rel
			}
			return bad == "" && visited <= maxMoved && ctx.Err() == nil
		})
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return ioError("Moving", from, err)
		case ctx.Err() != nil:
			return ctx.Err()
		case visited > maxMoved:
			return failed("%s has too much in it: folders of at most %d files and folders are moved. Move its parts.", quote(from), maxMoved)
		case bad != "":
			return failed("%s cannot be moved to %s: something in it must stay, or its path would be too long.", quote(from), quote(to))
		}
	}
	return nil
}

// maxMoved bounds the files and folders below a folder that is moved.
const maxMoved = 100_000

// makeFolders makes the missing folders above a path.
func (f *Files) makeFolders(p string) (made []string, err error) {
	missing, err := f.missing([]*write{{path: p}})
	if err != nil {
		return nil, ioError("Making the folders for", p, err)
	}
	for _, folder := range missing {
		if err := f.disk.Mkdir(folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return made, ioError("Making the folder", folder, err)
		}
		made = append(made, folder)
		if err := f.disk.Sync(path.Dir(folder)); err != nil {
			return made, ioError("Making the folder", folder, err)
		}
	}
	return made, nil
}
