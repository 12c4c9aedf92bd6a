package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/stackreeve/stackreeve/"

// room is a row of ARCHITECTURE.md's table of rooms.
type room struct {
	pattern string   // internal/cloud/kinds/<kind> stands for all that have no row of their own
	imports []string // rooms, without internal/
}

// TestRooms reads the imports of every package: a room imports what the table says, and
// all that it says.
func TestRooms(t *testing.T) {
	rooms, packages := tableOfRooms(t), importsOfPackages(t)
	used := map[string]map[string]bool{}
	for dir, imports := range packages {
		r := roomOf(rooms, dir)
		if r == nil {
			t.Errorf("%s is in no row of ARCHITECTURE.md's table of rooms", dir)
			continue
		}
		if used[r.pattern] == nil {
			used[r.pattern] = map[string]bool{}
		}
		for _, i := range imports {
			allowed := slices.ContainsFunc(r.imports, func(to string) bool { return matches(to, i) && roomOf(rooms, "internal/"+i) != nil })
			if !allowed && !sameRoom(rooms, r, i) {
				t.Errorf("%s imports %s, which the row of %s in ARCHITECTURE.md does not allow", dir, i, r.pattern)
			}
			for _, to := range r.imports {
				if matches(to, i) {
					used[r.pattern][to] = true
				}
			}
		}
	}
	for _, r := range rooms {
		if used[r.pattern] == nil {
			t.Errorf("ARCHITECTURE.md has a row for %s, which is not there", r.pattern)
		}
		for _, to := range r.imports {
			if used[r.pattern] != nil && !used[r.pattern][to] {
				t.Errorf("ARCHITECTURE.md lets %s import %s, which it does not", r.pattern, to)
			}
		}
	}
}

// sameRoom reports whether what is imported is a part of the room itself.
func sameRoom(rooms []room, r *room, imported string) bool {
	other := roomOf(rooms, "internal/"+imported)
	return other != nil && other.pattern == r.pattern && !strings.Contains(r.pattern, "<")
}

// matches reports whether a pattern such as cloud/<kind> or simulator/… stands for a
// package.
func matches(pattern, dir string) bool {
	if pattern == "…" {
		return true
	}
	if before, ok := strings.CutSuffix(pattern, "/…"); ok {
		return dir == before || strings.HasPrefix(dir, before+"/")
	}
	if before, _, ok := strings.Cut(pattern, "<"); ok {
		return path.Dir(dir)+"/" == before
	}
	return dir == pattern
}

// roomOf is the row of a package: the one that names it, or else the first that
// matches.
func roomOf(rooms []room, dir string) *room {
	for _, exact := range []bool{true, false} {
		for i := range rooms {
			if rooms[i].pattern == dir || !exact && matches(rooms[i].pattern, dir) {
				return &rooms[i]
			}
		}
	}
	return nil
}

func tableOfRooms(t *testing.T) []room {
	t.Helper()
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	var rooms []room
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || !strings.HasPrefix(strings.TrimSpace(cells[0]), "`") {
			continue
		}
		var imports []string
		for i := range strings.SplitSeq(cells[3], ",") {
			if i = strings.Trim(strings.TrimSpace(i), "`"); i != "" {
				imports = append(imports, i)
			}
		}
		rooms = append(rooms, room{strings.Trim(strings.TrimSpace(cells[0]), "`"), imports})
	}
	if len(rooms) < 10 {
		t.Fatalf("ARCHITECTURE.md has %d rooms", len(rooms))
	}
	return rooms
}

// importsOfPackages are the packages of ours that each package imports, without
// internal/. Tests may look at more.
func importsOfPackages(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string]map[string]bool{}
	for _, root := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			dir := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(file), ".."+string(filepath.Separator)))
			if found[dir] == nil {
				found[dir] = map[string]bool{}
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range parsed.Imports {
				name, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				if ours, ok := strings.CutPrefix(name, module+"internal/"); ok {
					found[dir][ours] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	packages := map[string][]string{}
	for dir, imports := range found {
		packages[dir] = slices.Sorted(maps.Keys(imports))
	}
	return packages
}
