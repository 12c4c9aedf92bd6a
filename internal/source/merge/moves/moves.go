package moves

import (
	"maps"
	"path"
	"slices"
)

// File is a file of a tree.
type File struct {
	Path string
	Hash [20]byte
	// Mode is 0 for a regular file. Any other file can only be moved to a file of the same mode.
	Mode uint32
}

// Guess is the result of the search for the new path of a file.
type Guess struct {
	// Places are the paths at which the file may be now, sorted. The list is empty if the file was
	// deleted.
	Places []string
	// Sure is true if git is sure to find exactly this place.
	Sure bool
	// Unknown is true if there was too much to compare, so that the file may be anywhere.
	Unknown bool
}

// Nowhere reports whether the file was deleted.
func (g Guess) Nowhere() bool { return len(g.Places) == 0 && !g.Unknown }

// Reader reads the files to compare. known is false for a file that cannot be read, because it is
// too long or in no repository.
type Reader interface {
	Size(File) (bytes int64, known bool, err error)
	Text(File) (text []byte, known bool, err error)
}

// Budget limits the work of Find, which subtracts from it. If a field is below zero, the budget was
// not enough.
type Budget struct {
	Pairs int   // number of pairs of files that are compared
	Bytes int64 // number of bytes of files that are read
	Steps int   // approximate number of lines that are compared
}

func (b *Budget) left() bool { return b.Pairs >= 0 && b.Bytes >= 0 && b.Steps >= 0 }

// maxEqual is a number of files with the same content. If there are more, git does not compare all
// of them.
const maxEqual = 50

// Find guesses the new paths of the removed files whose paths are in asked. Each of them may have
// become one of the files in added, as git finds it (merge-ort with its defaults).
func Find(removed, added []File, asked map[string]bool, r Reader, budget *Budget) (map[string]Guess, error) {
	f := finder{reader: r, budget: budget, sizes: map[[20]byte]int64{}, indexes: map[[20]byte]*index{}, rivals: map[string][]edge{}}
	removed, added = slices.DeleteFunc(slices.Clone(removed), empty), slices.DeleteFunc(slices.Clone(added), empty)
	exact := equals(removed, added)
	taken := map[string]bool{}
	for _, to := range exact {
		taken[to] = true
	}
	for _, file := range removed {
		if _, ok := exact[file.Path]; !ok {
			f.removed = append(f.removed, file)
		}
	}
	for _, file := range added {
		if !taken[file.Path] {
			f.added = append(f.added, file)
		}
	}
	found := map[string]Guess{}
	for from, to := range exact {
		if asked[from] {
			found[from] = Guess{Places: []string{to}, Sure: true}
		}
	}
	for _, file := range f.removed {
		if !asked[file.Path] {
			continue
		}
		guess, err := f.guess(file)
		if err != nil {
			return nil, err
		}
		found[file.Path] = guess
	}
	return found, nil
}

// empty reports whether a file is empty. The content of an empty file does not show where it comes
// from.
func empty(f File) bool {
	return f.Mode == 0 && f.Hash == [20]byte{0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, 0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4, 0x8c, 0x53, 0x91}
}

type content struct {
	hash [20]byte
	mode uint32
}

// equals pairs files of equal content, if the order in which git compares does not affect the
// pairs.
func equals(removed, added []File) map[string]string {
	from, to := byContent(removed), byContent(added)
	pairs := map[string]string{}
	for c, sources := range from {
		targets := to[c]
		if len(sources) == 1 && len(targets) == 1 {
			pairs[sources[0]] = targets[0]
			continue
		}
		if len(targets) == 0 || len(sources) > maxEqual {
			continue
		}
		maps.Copy(pairs, sameNames(sources, targets))
	}
	return pairs
}

func byContent(files []File) map[content][]string {
	list := map[content][]string{}
	for _, f := range files {
		c := content{f.Hash, f.Mode}
		list[c] = append(list[c], f.Path)
	}
	return list
}

// sameNames pairs files of equal content by the last part of their paths. It returns nil if the
// pairs are not unique.
func sameNames(sources, targets []string) map[string]string {
	of := map[string][]string{}
	for _, s := range sources {
		of[path.Base(s)] = append(of[path.Base(s)], s)
	}
	pairs := map[string]string{}
	for _, t := range targets {
		named := of[path.Base(t)]
		if len(named) != 1 {
			return nil
		}
		if _, twice := pairs[named[0]]; twice {
			return nil
		}
		pairs[named[0]] = t
	}
	return pairs
}
