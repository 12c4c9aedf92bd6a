package manifest

import (
	"fmt"
	"io/fs"
	"slices"

	"go.yaml.in/yaml/v3"
)

// maxProblems is the number of problems at which a load ends.
const maxProblems = 1000

// Ignored is a file or a document that was ignored, with the reason.
type Ignored struct {
	Origin Origin
	Why    string
	// Known is true for a document of [Options.LeaveAlone]. Reports need not mention it, since it is clearly no object of the stack.
	Known bool
}

// Loaded is the result of a load, in the order of file names and lines.
type Loaded struct {
	Objects []Object
	Ignored []Ignored
	// Bare lists the files that have the name of a manifest, could be read and contain no object. A file that contains only
	// kinds of [Options.LeaveAlone] is not listed.
	Bare   []string
	Bytes  int64 // the number of bytes that were read
	Values int   // the number of values in the objects, counted with aliases expanded
	Lost   bool  // reports whether something that may contain further objects could not be read
}

// Load reads every manifest below the root of files. The error is Problems and contains all problems. Load also returns
// the objects that could be read, so that the problems in their fields (see Object.Decode) can be reported at the same
// time.
func Load(files fs.FS, opts Options) (Loaded, error) { return LoadParts([]Part{{Files: files}}, opts) }

// LoadParts does the same as Load for several folders and files, as if they were one folder. The limits apply to all of
// them together. An object may be declared only once in all of them.
func LoadParts(parts []Part, opts Options) (Loaded, error) {
	opts = opts.withDefaults()
	l := &loader{opts: opts, known: newVocabulary(opts), seen: map[Key]Origin{}}
	l.parser.budget = 8 << 20
	l.layers = layers{byKey: map[Key][]draft{}, names: map[Key][]string{}}
	for _, part := range slices.SortedStableFunc(slices.Values(parts), func(a, b Part) int { return b.Layer - a.Layer }) {
		l.layer, l.several = part.Layer, l.several || part.Layer > 0
		l.part(part)
	}
	l.remaining()
	if l.ended != nil {
		return Loaded{}, l.ended
	}
	l.loaded.Bytes, l.loaded.Values = l.bytes, l.nodes
	return l.loaded, l.problems.Err()
}

// loader is one load with its limits, its results and its problems.
type loader struct {
	files fs.FS
	root  string // the name of the folder for people
	opts  Options
	known vocabulary

	parser                          parser
	entries, read, documents, nodes int
	bytes                           int64
	effort                          Effort              // of encrypted files
	whole                           *chunk              // the chunk of the current document; nil if the chunk contains several documents.
	opened                          opened              // for the present document; nil if it is not encrypted.
	secret                          map[*yaml.Node]bool // the encrypted values of the present file.
	parts                           []string            // decrypted values in longer texts of the present document.
	stopped                         bool
	ended                           error // the error that Options.Stop returned

	seen     map[Key]Origin
	layers   layers
	layer    int  // the layer that is being read
	several  bool // reports whether there are several layers
	objects  int  // the number of objects that were found
	aside    int  // the number of documents of kinds in Options.LeaveAlone
	loaded   Loaded
	problems Problems
}

func (l *loader) report(ps ...Problem) {
	for _, p := range ps {
		if l.stopped || l.opts.Holding != nil {
			return
		}
		l.problems = append(l.problems, p)
		if len(l.problems) >= maxProblems {
			l.stop(p.Origin.File, fmt.Sprintf("gave up after %d problems", maxProblems), "correct these first")
		}
	}
}

// lose adds the problem that something that may contain objects cannot be read.
func (l *loader) lose(p Problem) {
	l.loaded.Lost = true
	l.report(p)
}

// over reports whether the load has ended, so that no further file is read.
func (l *loader) over() bool {
	if !l.stopped && l.opts.Stop != nil {
		l.ended = l.opts.Stop()
		l.stopped = l.ended != nil
	}
	return l.stopped
}

// stop ends the load because a limit is exceeded. The remaining files are not read.
func (l *loader) stop(file, what, fix string) {
	if !l.stopped {
		l.stopped, l.loaded.Lost = true, true
		l.problems = append(l.problems, Problem{Origin: Origin{File: file}, What: what, Fix: fix})
	}
}

func (l *loader) ignore(at Origin, why string) {
	l.loaded.Ignored = append(l.loaded.Ignored, Ignored{Origin: at, Why: why})
}
