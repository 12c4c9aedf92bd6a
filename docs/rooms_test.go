package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/stackreeve/stackreeve/"

// room is a row of the table in rooms.md.
type room struct {
	pattern string   // internal/cloud/kinds/<kind> stands for all that have no row of their own
	unknown string   // what it does not know
	imports []string // rooms, without internal/
}

// TestRooms reads the imports of every package: a room imports what the table says, and
// all that it says. With -update the table says what the code imports.
func TestRooms(t *testing.T) {
	rooms := tableOfRooms(t)
	used := map[string]map[string]bool{}
	for dir, imports := range importsOfPackages(t) {
		r := roomOf(rooms, dir)
		if r == nil {
			t.Errorf("%s is in no row of rooms.md", dir)
			continue
		}
		if used[r.pattern] == nil {
			used[r.pattern] = map[string]bool{}
		}
		for _, i := range imports {
			if sameRoom(rooms, r, i) {
				continue
			}
			allowed := slices.IndexFunc(r.imports, func(to string) bool { return matches(to, i) && roomOf(rooms, "internal/"+i) != nil })
			switch {
			case allowed >= 0:
				used[r.pattern][r.imports[allowed]] = true
			case *update:
				used[r.pattern][i] = true
			default:
				t.Errorf("%s imports %s, which the row of %s in rooms.md does not allow", dir, i, r.pattern)
			}
		}
	}
	if *update {
		writeRooms(t, rooms, used)
		return
	}
	for _, r := range rooms {
		if used[r.pattern] == nil {
			t.Errorf("rooms.md has a row for %s, which is not there", r.pattern)
		}
		for _, to := range r.imports {
			if used[r.pattern] != nil && !used[r.pattern][to] {
				t.Errorf("rooms.md lets %s import %s, which it does not", r.pattern, to)
			}
		}
	}
}

// TestRoomsAreExplained wants the same rooms in ARCHITECTURE.md, in the same order.
func TestRoomsAreExplained(t *testing.T) {
	explained := cellsOf(t, "../ARCHITECTURE.md", 2)
	for i, r := range tableOfRooms(t) {
		if i >= len(explained) || explained[i][0] != "`"+r.pattern+"`" || explained[i][1] == "" {
			t.Fatalf("row %d of ARCHITECTURE.md's table is not about %s", i+1, r.pattern)
		}
	}
}

// writeRooms writes the imports of each room into the table.
func writeRooms(t *testing.T, rooms []room, used map[string]map[string]bool) {
	t.Helper()
	text := read(t, "rooms.md")
	for _, r := range rooms {
		imports := ""
		if list := slices.Sorted(maps.Keys(used[r.pattern])); len(list) > 0 {
			imports = "`" + strings.Join(list, "`, `") + "`"
		}
		row := regexp.MustCompile("(?m)^\\| `" + regexp.QuoteMeta(r.pattern) + "` \\|.*$")
		text = row.ReplaceAllLiteralString(text, "| `"+r.pattern+"` | "+r.unknown+" | "+imports+" |")
	}
	if err := os.WriteFile("rooms.md", []byte(text), 0o644); err != nil {
		t.Fatal(err)
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

func tableOfRooms(t *testing.T) (rooms []room) {
	t.Helper()
	for _, cells := range cellsOf(t, "rooms.md", 3) {
		var imports []string
		for i := range strings.SplitSeq(cells[2], ",") {
			if i = strings.Trim(strings.TrimSpace(i), "`"); i != "" {
				imports = append(imports, i)
			}
		}
		rooms = append(rooms, room{strings.Trim(cells[0], "`"), cells[1], imports})
	}
	return rooms
}

// cellsOf are the rows, of so many cells, that begin with code in the tables of a page.
func cellsOf(t *testing.T, page string, n int) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(read(t, page)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == n {
			rows = append(rows, cells)
		}
	}
	if len(rows) < 10 {
		t.Fatalf("%s has %d rooms", page, len(rows))
	}
	return rows
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
