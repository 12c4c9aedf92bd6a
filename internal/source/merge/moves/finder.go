package moves

import (
	"path"
	"slices"
)

// finder compares the files that remain after files of equal content were paired.
type finder struct {
	reader         Reader
	budget         *Budget
	removed, added []File
	sizes          map[[20]byte]int64
	indexes        map[[20]byte]*index // nil for a file that cannot be read
	rivals         map[string][]edge   // by the path of an added file: the removed files that it may come from
}

// edge is a possible partner of a file, with the similarity of both.
type edge struct {
	file File
	score
}

func (f *finder) guess(file File) (Guess, error) {
	places, err := f.edges(file, f.added)
	if err != nil {
		return Guess{}, err
	}
	var guess Guess
	for _, p := range places {
		guess.Places = append(guess.Places, p.file.Path)
		sure, err := f.mutual(file, p, places)
		if err != nil {
			return Guess{}, err
		}
		if sure && f.budget.left() {
			return Guess{Places: []string{p.file.Path}, Sure: true}, nil
		}
	}
	if !f.budget.left() {
		return Guess{Unknown: true}, nil
	}
	slices.Sort(guess.Places)
	return guess, nil
}

// mutual reports whether file and place are more similar to each other than to any other file, and
// git would not prefer another pair because of the names.
func (f *finder) mutual(file File, place edge, places []edge) (bool, error) {
	if !place.best(file, places) {
		return false, nil
	}
	rivals, known := f.rivals[place.file.Path]
	if !known {
		var err error
		if rivals, err = f.edges(place.file, f.removed); err != nil {
			return false, err
		}
		f.rivals[place.file.Path] = rivals
	}
	return edge{file, place.score}.best(place.file, rivals), nil
}

// best reports whether an edge is similar enough, and no other edge of a list may be as similar, or
// has the name of the file of.
func (e edge) best(of File, list []edge) bool {
	return e.low >= enough && !slices.ContainsFunc(list, func(other edge) bool {
		return other.file.Path != e.file.Path && (other.high >= e.low || path.Base(other.file.Path) == path.Base(of.Path))
	})
}

// edges returns the possible partners of a file in a list.
func (f *finder) edges(file File, list []File) (found []edge, err error) {
	for _, other := range list {
		if f.budget.Pairs--; !f.budget.left() {
			return found, nil
		}
		var s score
		switch {
		case other.Mode != file.Mode && (other.Mode != 0 || file.Mode != 0):
			continue
		case other.Hash == file.Hash:
			s = score{full, full}
		case file.Mode != 0:
			continue
		default:
			if s, err = f.score(file, other); err != nil {
				return nil, err
			}
		}
		if s.high >= enough {
			found = append(found, edge{other, s})
		}
	}
	return found, nil
}

// score returns the similarity of two files. A file that cannot be read may be similar to any
// other.
func (f *finder) score(a, b File) (score, error) {
	var sizes [2]int64
	for i, file := range []File{a, b} {
		size, err := f.size(file)
		if err != nil || size < 0 {
			return score{0, full}, err
		}
		sizes[i] = size
	}
	if min(sizes[0], sizes[1])*2 < max(sizes[0], sizes[1]) {
		return score{}, nil
	}
	var of [2]*index
	for i, file := range []File{a, b} {
		x, err := f.index(file)
		if err != nil || x == nil {
			return score{0, full}, err
		}
		of[i] = x
	}
	s, steps := alike(of[0], of[1])
	f.budget.Steps -= steps
	return s, nil
}

// size returns a file's length. It is negative if the file cannot be read.
func (f *finder) size(file File) (int64, error) {
	if size, ok := f.sizes[file.Hash]; ok {
		return size, nil
	}
	size, known, err := f.reader.Size(file)
	if err != nil {
		return 0, err
	}
	if !known {
		size = -1
	}
	f.sizes[file.Hash] = size
	return size, nil
}

func (f *finder) index(file File) (*index, error) {
	if x, ok := f.indexes[file.Hash]; ok {
		return x, nil
	}
	text, known, err := f.reader.Text(file)
	if err != nil {
		return nil, err
	}
	if f.budget.Bytes -= int64(len(text)); !f.budget.left() {
		return nil, nil
	}
	var x *index
	if known {
		x = indexOf(text)
	}
	f.indexes[file.Hash] = x
	return x, nil
}
