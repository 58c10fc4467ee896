// Command fileproxy writes the modules of this tree as a module proxy into a folder, so that they can be built as those
// who depend on them do: without the replaces of their go.mod files.
//
//	go run ./.ci/fileproxy VERSION FOLDER MODULE...
//
// A module is its folder in the tree. The files are those of the working tree that git does not ignore. The folder is
// for GOPROXY=file://FOLDER.
package main

import (
	"archive/zip"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const root = "github.com/cash-mcp/go-sdk"

func main() {
	log.SetFlags(0)
	if len(os.Args) < 4 {
		log.Fatal("usage: fileproxy VERSION FOLDER MODULE...")
	}
	version, folder := os.Args[1], os.Args[2]
	files, err := tree()
	if err != nil {
		log.Fatal(err)
	}
	for _, dir := range os.Args[3:] {
		if err := write(filepath.Join(folder, filepath.FromSlash(path.Join(root, dir)), "@v"), dir, version, files); err != nil {
			log.Fatalf("module %s: %v", dir, err)
		}
	}
}

// tree returns the files of the working tree, with slashes.
func tree() ([]string, error) {
	out, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	return slices.DeleteFunc(files, func(name string) bool {
		info, err := os.Lstat(name)
		return err != nil || !info.Mode().IsRegular() // deleted, or a link
	}), nil
}

// write writes the three files of a module's version.
func write(to, dir, version string, files []string) error {
	mod, err := os.ReadFile(path.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version)
	if err := os.WriteFile(filepath.Join(to, version+".info"), []byte(info), 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, version+".mod"), mod, 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, "list"), []byte(version+"\n"), 0o666); err != nil { // for @latest
		return err
	}
	out, err := os.Create(filepath.Join(to, version+".zip"))
	if err != nil {
		return err
	}
	defer out.Close()
	z := zip.NewWriter(out)
	for _, name := range files {
		if moduleOf(name, files) != path.Clean(dir) {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		inside := strings.TrimPrefix(name, path.Clean(dir)+"/")
		w, err := z.Create(path.Join(root, dir) + "@" + version + "/" + inside)
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return out.Close()
}

// moduleOf returns the folder of the module that a file belongs to.
func moduleOf(name string, files []string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if slices.Contains(files, dir+"/go.mod") {
			return dir
		}
	}
	return "."
}
