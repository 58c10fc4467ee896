package files

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Bounds of a walk. A walk that has looked at minVisited names ends after maxTime.
const (
	minVisited = 20_000
	maxTime    = 400 * time.Millisecond
	maxHeld    = 400_000 // names in memory
	minHeld    = 1000    // names in memory for one folder
)

// A walk visits what is below a folder in the order of paths. It follows no links.
type walk struct {
	files     *Files
	recursive bool
	after     string                // paths up to this one are passed over
	prefix    string                // all paths begin with it
	visit     func(e *entryAt) bool // false ends the walk

	at         string // the last path that was passed
	visited    int
	begun      time.Time
	held       int
	counts     bool // names are counted in leftOut
	leftOut    int
	incomplete bool
}

// An entryAt is an entry of a folder.
type entryAt struct {
	shown, place string // the path as requested, and without links
	mode         fs.FileMode
}

// A step of a walk is a name in a folder, or, with a slash at its end, what is below it.
type step struct {
	name string
	mode fs.FileMode
}

// run walks below a folder. It returns false if it did not come to the end.
func (w *walk) run(ctx context.Context, shown, place string, ignoring bool) (ended bool, err error) {
	w.begun, w.counts = time.Now(), w.after == ""
	var ig *ignore
	if ignoring {
		in := true
		if ig, in = w.files.ignoresAt(place); !in {
			return true, nil
		}
	}
	err = w.folder(ctx, entryAt{shown: shown, place: place}, ig, ignoring, true)
	if errors.Is(err, errEnough) {
		return false, nil
	}
	return true, err
}

var errEnough = errors.New("enough") // ends a walk

func (w *walk) folder(ctx context.Context, at entryAt, ig *ignore, ignoring, top bool) error {
	held := w.held
	defer func() { w.held = held }()
	for more, again := true, false; more; again = true {
		steps, whole, err := w.steps(ctx, at, ig, again)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && top:
			return ioError("Listing", cmp.Or(at.shown, "."), err)
		case err != nil && !errors.Is(err, fs.ErrNotExist): // it may be gone already
			w.incomplete = true
			w.files.log.WarnContext(ctx, "a folder cannot be listed", "folder", at.shown, "error", err)
		}
		w.held = held + len(steps)
		for _, s := range steps {
			if err := w.step(ctx, at, s, ig, ignoring); err != nil {
				return err
			}
			w.after = max(w.after, w.at)
		}
		more = !whole && err == nil
	}
	return nil
}

// step visits a name, or the folder of that name.
func (w *walk) step(ctx context.Context, at entryAt, s step, ig *ignore, ignoring bool) error {
	name, inside := strings.CutSuffix(s.name, "/")
	child := entryAt{below(at.shown, name), within(at.place, name), s.mode}
	if !inside {
		if !w.visit(&child) {
			return errEnough
		}
		w.at = child.shown
		return w.pause(ctx)
	}
	if ignoring {
		ig = w.files.ignores(ig, child.place)
	}
	if err := w.folder(ctx, child, ig, ignoring, false); err != nil {
		return err
	}
	w.at = max(w.at, child.shown+"/")
	return w.pause(ctx)
}

// pause ends a walk that has taken long. The names of a single folder are known already.
func (w *walk) pause(ctx context.Context) error {
	if w.recursive && w.visited > minVisited && time.Since(w.begun) > maxTime {
		return errEnough
	}
	return ctx.Err()
}

// steps returns the first steps of a folder behind w.after, in order. whole is false if there are more.
func (w *walk) steps(ctx context.Context, at entryAt, ig *ignore, again bool) (steps []step, whole bool, err error) {
	above := below(at.shown, "")
	depth := strings.Count(above, "/")
	after, _ := strings.CutPrefix(w.after, above)
	if len(after) == len(w.after) && above != "" {
		after = "" // all of the folder is behind
	}
	most := max(minHeld, maxHeld-w.held)
	whole = true
	err = w.files.disk.Names(at.place, func(e fs.DirEntry) bool {
		w.visited++
		name, folder := e.Name(), w.recursive && e.IsDir()
		if name <= after && !(folder && strings.HasPrefix(after, name)) || !w.wants(above, name, folder) || w.hides(at, e, ig) {
			return ctx.Err() == nil
		}
		if !usable(name) || len(above)+len(name) > maxPath {
			if w.counts && !again {
				w.leftOut++
			}
			return ctx.Err() == nil
		}
		if name > after && (w.prefix == "" || strings.HasPrefix(above+name, w.prefix)) {
			steps = append(steps, step{name, e.Type()})
		}
		if folder {
			if inside := name + "/"; depth+1 >= maxDepth {
				w.incomplete = true
			} else if inside > after || strings.HasPrefix(after, inside) {
				steps = append(steps, step{inside, e.Type()})
			}
		}
		if len(steps) >= 2*most {
			steps, whole = firstSteps(steps, most), false
		}
		return ctx.Err() == nil
	})
	if len(steps) > most {
		whole = false
	}
	return firstSteps(steps, most), whole, err
}

// wants reports whether a path, or one below it, may begin with the prefix.
func (w *walk) wants(above, name string, folder bool) bool {
	if w.prefix == "" {
		return true
	}
	shown := above + name
	return strings.HasPrefix(shown, w.prefix) || folder && strings.HasPrefix(w.prefix, shown+"/")
}

// hides reports whether an entry of a folder is not for the caller.
func (w *walk) hides(at entryAt, e fs.DirEntry, ig *ignore) bool {
	if at.place == "." && isJournal(e.Name()) {
		return true
	}
	if len(w.files.hide) == 0 && ig == nil {
		return false
	}
	place := within(at.place, e.Name())
	return len(w.files.hide) > 0 && w.files.hide.excludes(fold(place), e.IsDir()) || ig != nil && ig.excludes(place, e.IsDir())
}

// within returns the place of a name in a folder.
func within(folder, name string) string {
	if folder == "." {
		return name
	}
	return folder + "/" + name
}

// firstSteps sorts steps, and returns the first most.
func firstSteps(steps []step, most int) []step {
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.name, b.name) })
	return slices.Clip(steps[:min(most, len(steps))])
}
