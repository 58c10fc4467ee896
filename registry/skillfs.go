package registry

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

// Limits of [Registry.AddSkills].
const (
	maxSkillFiles = 10_000
	maxSkillBytes = 1 << 20
	maxSkillDepth = 16
)

// AddSkills adds the skills in fsys, such as an embed.FS:
//
//	<namespace...>/<name>/SKILL.md  an Agent Skill; see WithFiles for other files in its folder
//	<namespace...>/<name>.md        a single file; README.md is not a skill
//
// Rules for names and texts:
//   - A single top folder named "skills" is not a namespace: the skills are below it.
//   - In names of skills, hyphens are dropped. In namespaces, they become underscores.
//   - Front matter is optional. Its description stands in lists.
//   - Executable content is removed when a skill is served.
//   - Callers who see the namespace see its skills, unless opts have a [VisibleTo] for all of them.
//
// AddSkills panics if a file is invalid and if there is no skill. It is for skills that are part of
// the program.
func (r *Registry) AddSkills(fsys fs.FS, opts ...SkillOption) {
	n, err := r.addSkillFiles(fsys, opts)
	switch {
	case err != nil:
		panic("registry: " + err.Error())
	case n == 0:
		panic("registry: reading skills: there is no <namespace>/<name>.md and no <namespace>/<name>/SKILL.md (" + sourceLine() + ")")
	}
}

// TryAddSkills is [Registry.AddSkills] for files found at run time, for example in an os.Root: it
// returns an error instead of panicking, and then adds nothing. Symbolic links, pipes and devices
// are refused without opening them.
func (r *Registry) TryAddSkills(fsys fs.FS, opts ...SkillOption) error {
	_, err := r.addSkillFiles(fsys, opts)
	return err
}

func (r *Registry) addSkillFiles(fsys fs.FS, opts []SkillOption) (found int, err error) {
	if fsys == nil {
		return 0, errors.New("reading skills: the file system is nil")
	}
	top, err := skillsTop(fsys)
	if err != nil {
		return 0, fmt.Errorf("reading skills: %w", err)
	}
	w := &skillWalk{fsys: fsys, opts: opts}
	if err := w.dir(top, "", 0); err != nil {
		return 0, fmt.Errorf("reading skills: %w", err)
	}
	return len(w.found), r.addAll(w.found)
}

// addAll adds skills to several namespaces: all of them or none.
func (r *Registry) addAll(found []foundSkill) error {
	trial := New(nil)
	for _, f := range found {
		if err := trial.addFound(f); err != nil {
			return err
		}
		key, _ := Canonical(strings.ReplaceAll(f.skill.name, "-", ""))
		if other := r.registeredSkill(f.namespace, key); other != nil {
			return conflict("skill", f.namespace, f.skill.name, f.skill.origin, other.given, other.origin)
		}
	}
	for _, f := range found {
		if err := r.addFound(f); err != nil {
			return err
		}
	}
	return nil
}

func (r *Registry) addFound(f foundSkill) error {
	ns, err := r.TryNamespace(f.namespace, "")
	if err != nil {
		return err
	}
	return ns.TryAddSkill(f.skill)
}

func (r *Registry) registeredSkill(path, key string) *Skill {
	canonical, _ := CanonicalPath(path)
	r.lock()
	defer r.mu.Unlock()
	if n := r.all[canonical]; n != nil {
		return n.skills[key]
	}
	return nil
}

// skillsTop returns the top folder of the skills: "skills" or the root of fsys.
func skillsTop(fsys fs.FS) (string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return "", err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !e.IsDir() && !isSkillFile(e.Name()) || strings.HasPrefix(e.Name(), ".")
	})
	if len(entries) != 1 || !entries[0].IsDir() || entries[0].Name() != "skills" {
		return ".", nil
	}
	if entries, err = fs.ReadDir(fsys, "skills"); err != nil {
		return "", err
	}
	if skillFile(entries) != nil {
		return ".", nil // a skill named skills
	}
	return "skills", nil
}

// skillFile returns the SKILL.md of a folder, or nil. It does not follow symbolic links.
func skillFile(entries []fs.DirEntry) fs.DirEntry {
	for _, e := range entries {
		if e.Name() == "SKILL.md" {
			return e
		}
	}
	return nil
}

type foundSkill struct {
	namespace string
	skill     *Skill
}

// skillWalk is one walk through the files of AddSkills.
type skillWalk struct {
	fsys  fs.FS
	opts  []SkillOption
	found []foundSkill
	files int
}

// dir reads the folder of a namespace.
func (w *skillWalk) dir(dir, namespace string, depth int) error {
	entries, err := fs.ReadDir(w.fsys, dir)
	if err != nil {
		return err
	}
	return w.entries(dir, entries, namespace, depth)
}

func (w *skillWalk) entries(dir string, entries []fs.DirEntry, namespace string, depth int) error {
	if depth > maxSkillDepth {
		return fmt.Errorf("%s: more than %d levels of folders", dir, maxSkillDepth)
	}
	for _, e := range entries {
		if w.files++; w.files > maxSkillFiles {
			return fmt.Errorf("%s: more than %d files and folders", dir, maxSkillFiles)
		}
		if err := w.entry(path.Join(dir, e.Name()), e, namespace, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *skillWalk) entry(file string, e fs.DirEntry, namespace string, depth int) error {
	name := e.Name()
	switch {
	case strings.HasPrefix(name, "."):
		return nil
	case e.Type()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s: a symbolic link", file)
	case e.IsDir():
		return w.folder(file, name, namespace, depth)
	case !isSkillFile(name):
		return nil
	case name == "SKILL.md": // at the top, only its front matter has a name
		return w.file(file, e, namespace, "")
	}
	return w.file(file, e, namespace, strings.TrimSuffix(name, ".md"))
}

func isSkillFile(name string) bool {
	return path.Ext(name) == ".md" && !strings.EqualFold(name, "README.md")
}

// folder reads the folder of a skill or of a namespace.
func (w *skillWalk) folder(dir, name, namespace string, depth int) error {
	entries, err := fs.ReadDir(w.fsys, dir)
	if err != nil {
		return err
	}
	if e := skillFile(entries); e != nil {
		if err := w.file(path.Join(dir, e.Name()), e, namespace, name); err != nil {
			return err
		}
		return w.others(dir, w.found[len(w.found)-1].skill)
	}
	return w.entries(dir, entries, join(namespace, strings.ReplaceAll(name, "-", "_")), depth+1)
}

func (w *skillWalk) file(file string, e fs.DirEntry, namespace, name string) error {
	if !e.Type().IsRegular() {
		return fmt.Errorf("%s: not a regular file", file)
	}
	data, err := readFile(w.fsys, file)
	if err != nil {
		return err
	}
	doc, err := skillmd.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if name == "" {
		name = doc.Name
	}
	if name == "" {
		return fmt.Errorf("%s: no name: put the file into a folder of the skill's name", file)
	}
	s := &Skill{name: name, description: doc.Description, text: doc.Body, origin: file}
	if err := s.setFile(data); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := s.apply(w.opts); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	w.found = append(w.found, foundSkill{namespace, s})
	return nil
}

// others reads the other files in the folder of a skill, if [WithFiles] is given.
func (w *skillWalk) others(dir string, s *Skill) error {
	if !s.withFiles {
		return nil
	}
	total := 0
	err := fs.WalkDir(w.fsys, dir, func(file string, e fs.DirEntry, err error) error {
		f := SkillFile{Path: strings.TrimPrefix(file, dir+"/")}
		switch {
		case err != nil:
			return err
		case file == dir:
			return nil
		case strings.HasPrefix(e.Name(), ".") || f.Path == "scripts":
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s: a symbolic link", file)
		case strings.Count(f.Path, "/") > maxSkillDepth:
			return fmt.Errorf("%s: more than %d levels of folders", file, maxSkillDepth)
		case e.IsDir() || !f.Served():
			return nil
		case !e.Type().IsRegular():
			return fmt.Errorf("%s: not a regular file", file)
		case clean.Line(f.Path, len(f.Path)) != f.Path:
			return fmt.Errorf("%q: the name has invisible characters", file)
		}
		data, err := readFile(w.fsys, file)
		if err != nil {
			return err
		}
		f.Text = string(data)
		served, ok := servedFile(f, false)
		if !ok {
			return fmt.Errorf("%s: not a text in UTF-8, or a script", file)
		}
		s.files = append(s.files, served)
		if total += len(data); len(s.files) >= MaxSkillFiles || total > MaxSkillSize {
			return fmt.Errorf("%s: a skill has at most %d files and %d bytes", dir, MaxSkillFiles, MaxSkillSize)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.sortFiles()
}

// readFile reads a file of at most maxSkillBytes.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSkillBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxSkillBytes {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxSkillBytes)
	}
	return data, nil
}
