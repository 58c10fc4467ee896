package files

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	maxPath  = 1024 // bytes
	maxDepth = 64   // names in a path
	maxLinks = 32   // links that are followed for one path
)

// cleanPath returns the canonical spelling of a path below the root, or an error.
func cleanPath(p string) (string, error) {
	switch {
	case p == "":
		return "", badPath("A path is empty.")
	case len(p) > maxPath:
		return "", badPath("The path %s is too long: it has %d bytes, and at most %d are taken.", quote(p), len(p), maxPath)
	case strings.ContainsRune(p, '\\'):
		return "", badPath("The path %s has a backslash.", quote(p))
	case strings.HasPrefix(p, "/"), hasDrive(p):
		return "", badPath("The path %s is absolute.", quote(p))
	case strings.HasSuffix(p, "/"):
		return "", badPath("The path %s ends in a slash.", quote(p))
	}
	cleaned := path.Clean(p)
	names := strings.Split(p, "/")
	if len(names) > maxDepth {
		return "", badPath("The path %s is too deep: at most %d names are taken.", quote(p), maxDepth)
	}
	for _, name := range names {
		if name == ".." {
			return "", badPath("The path %s has `..` in it.", quote(p))
		}
		if !usable(name) {
			return "", badPath("The path %s has a character that names here may not have: control characters, invisible ones, or what is not UTF-8.", quote(p))
		}
	}
	if cleaned == "." {
		return "", badPath("The path %s is the root itself.", quote(p))
	}
	if !filepath.IsLocal(filepath.FromSlash(cleaned)) {
		return "", badPath("The path %s has a name that the system reserves.", quote(p))
	}
	if first, _, _ := strings.Cut(cleaned, "/"); isJournal(first) {
		return "", reserved(p)
	}
	return cleaned, nil
}

// badPath returns the error of a path that is wrong for any files. It has a hint, so that no face adds the parameters.
func badPath(format string, args ...any) *registry.Error {
	e := invalid(format, args...)
	e.Hint = "Paths are relative to the root, such as `src/main.go`."
	return e
}

func hasDrive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z')
}

// usable reports whether a name can be shown and accepted unchanged.
func usable(name string) bool {
	if !utf8.ValidString(name) || strings.ContainsAny(name, "\\\n\t\x00") || clean.Text(name) != name {
		return false
	}
	if runtime.GOOS == "windows" { // other names of the same file, or of its streams
		return name == "." || !strings.ContainsAny(name, `<>:"|?*`) && strings.TrimRight(name, ". ") == name && !isShort(name)
	}
	return true
}

// isShort reports whether a name looks like the short one that Windows gives to files with a long name.
func isShort(name string) bool {
	base, extension, _ := strings.Cut(name, ".")
	i := strings.LastIndexByte(base, '~')
	return i > 0 && i < len(base)-1 && strings.Trim(base[i+1:], "0123456789") == "" && len(base) <= 8 && len(extension) <= 3
}

// fold maps names that are the same file, on a file system that ignores case or normalizes Unicode, to the same text.
// It may map a few more names to it.
func fold(name string) string {
	return norm.NFKC.String(strings.ToLower(norm.NFKC.String(name)))
}

// isJournal reports whether some file system takes a name in the root for the journal.
func isJournal(name string) bool { return fold(name) == journalFolder }

func reserved(p string) error {
	e := invalid("The path %s is reserved: nothing is changed there.", quote(p))
	e.Hint = "Use another path."
	return e
}

// A purpose is why a path is looked for.
type purpose int

const (
	toRead purpose = iota // follows links within the root; what is hidden is absent
	toEdit                // does not follow links; what is hidden or protected is an error
	toUndo                // does not follow links
)

// find resolves a clean path. It returns the path without links, and the file's info, nil if nothing is there.
func (f *Files) find(p string, why purpose) (at string, info fs.FileInfo, err error) {
	at = "."
	links := 0
	for todo := strings.Split(p, "/"); len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if name == "" || name == "." || name == ".." { // from a link
			if name == ".." && at == "." {
				return "", nil, leadsOut(p)
			}
			at, info = path.Join(at, name), nil
			continue
		}
		next := path.Join(at, name)
		info, err = f.disk.Lstat(next)
		missing := errors.Is(err, fs.ErrNotExist)
		if err != nil && !missing {
			return "", nil, ioError("Looking for", p, err)
		}
		if missing {
			next = path.Join(next, path.Join(todo...))
		}
		folder := !missing && info.IsDir()
		switch {
		case at == "." && isJournal(name), why == toEdit && f.fixed(next, folder):
			return "", nil, reserved(p)
		case missing, why == toRead && f.hidden(next, folder):
			return next, nil, nil
		case info.Mode()&fs.ModeSymlink != 0:
			if todo, err = f.follow(p, next, todo, why == toRead, &links); err != nil {
				return "", nil, err
			}
			info = nil
		case !folder && len(todo) > 0:
			return "", nil, failed("%s is not a folder, so that %s cannot be below it.", quote(next), quote(p))
		default:
			at = next
		}
	}
	if info == nil { // a link ended with .. or at a missing file
		if info, err = f.disk.Lstat(at); err != nil {
			return "", nil, ioError("Looking for", p, err)
		}
	}
	return at, info, nil
}

// follow returns the rest of the path to walk after a link.
func (f *Files) follow(p, link string, todo []string, follow bool, links *int) ([]string, error) {
	if !follow {
		return nil, failed("%s is a symbolic link. Editing follows and replaces none: use the path that it leads to.", quote(link))
	}
	var target string
	err := f.disk.Step("readlink", link, func() (err error) {
		target, err = f.disk.Root.Readlink(link)
		return err
	})
	if err != nil {
		return nil, ioError("Looking for", p, err)
	}
	target = filepath.ToSlash(target)
	names := strings.Split(target, "/")
	if *links++; *links > maxLinks || len(names)+len(todo) > 4*maxDepth {
		return nil, failed("The symbolic links on the way to %s do not end.", quote(p))
	}
	if strings.HasPrefix(target, "/") || hasDrive(target) {
		return nil, leadsOut(p)
	}
	return append(names, todo...), nil
}

func leadsOut(p string) error {
	return failed("A symbolic link on the way to %s leads out of the root.", quote(p))
}
