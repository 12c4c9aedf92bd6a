package resolve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Past visits the stack's folder in earlier commits, the newest first, until visit returns false.
type Past func(ctx context.Context, visit func(commit string, files fs.FS) (more bool)) error

// Suspects are files and patterns that may have lost their content: files without an object, and patterns of include that match
// nothing.
func (r Reading) Suspects() []string { return slices.Concat(r.Bare, r.without) }

// Emptied reports the files of a reading that contain no object now but contained objects in the past. Their objects are not deleted,
// because the file may have been truncated, or overwritten by mistake. To delete the objects of a file, people delete the file. For each
// file, only the newest commit counts that contains objects in it or does not contain the file.
//
// A folder that matches a pattern may have disappeared, for example after a rename. Its objects are not deleted, either. As with the path
// of a source, a commit can only delete objects in a folder that exists.
//
// Its error is a [manifest.Problems], or the error of past.
func (r Reader) Emptied(ctx context.Context, now Reading, past Past) error {
	bare, without := slices.Clone(now.Bare), slices.Clone(now.without)
	if len(now.Suspects()) == 0 {
		return nil
	}
	var problems manifest.Problems
	var failed error
	lost := func(keys []manifest.Key) []manifest.Key {
		return slices.DeleteFunc(keys, func(k manifest.Key) bool { return now.written[k] })
	}
	err := past(ctx, func(commit string, files fs.FS) (more bool) {
		selected := r.Selection.Of(files)
		bare = slices.DeleteFunc(bare, func(name string) bool {
			keys, decided, err := r.madeBy(ctx, selected, name, now)
			failed = errors.Join(failed, err)
			if keys = lost(keys); len(keys) > 0 {
				problems = append(problems, r.emptied(name, commit, keys))
			}
			return decided
		})
		without = slices.DeleteFunc(without, func(pattern string) bool {
			keys, decided := r.selectedBy(ctx, files, pattern, now)
			if keys = lost(keys); len(keys) > 0 {
				problems = append(problems, r.unselected(pattern, commit, keys))
			}
			return decided
		})
		failed = errors.Join(failed, ctx.Err())
		return len(bare)+len(without) > 0 && failed == nil
	})
	switch {
	case failed != nil || err != nil:
		return errors.Join(failed, err)
	case len(problems) > 0:
		return problems.Sorted()
	}
	return nil
}

// madeBy returns the objects of a file at an earlier commit. decided is false if the file existed and contained none.
func (r Reader) madeBy(ctx context.Context, files fs.FS, name string, now Reading) (keys []manifest.Key, decided bool, err error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, true, nil // the file did not exist, or cannot be read
	}
	defer func() { _ = f.Close() }() // an error does not matter, because the file was only read
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, true, nil
	}
	text, err := io.ReadAll(io.LimitReader(f, manifest.DefaultFileBytes+1))
	if err != nil {
		return nil, false, fmt.Errorf("read %s of an earlier commit: %w", name, err)
	}
	keys = r.keysOf(ctx, []manifest.Part{{Name: name, Text: bytes.NewReader(text)}}, now)
	return keys, len(keys) > 0, nil
}

// selectedBy returns the objects of the files that a pattern selected. decided is false if it selected no file.
func (r Reader) selectedBy(ctx context.Context, files fs.FS, pattern string, now Reading) (keys []manifest.Key, decided bool) {
	files = manifest.Selection{Include: []string{pattern}, Exclude: r.Selection.Exclude, Folders: r.Layers}.Of(files)
	keys = r.keysOf(ctx, r.parts(files), now)
	return keys, !slices.Contains(manifest.Unmatched(files), pattern)
}

// keysOf returns the objects of parts of an earlier commit. It ignores mistakes in that commit, because they do not matter now.
func (r Reader) keysOf(ctx context.Context, parts []manifest.Part, now Reading) (keys []manifest.Key) {
	options := loadOptions(slices.Concat(r.Kinds, now.Defined), r.Bounds.loading(ctx.Err))
	options.Decryption.Unknown = true // only the names matter
	options.Values = now.values
	options.Each = func(obj *manifest.Object) { keys = append(keys, obj.Key) }
	_, _ = manifest.LoadParts(parts, options)
	return keys
}

func (r Reader) emptied(name, commit string, keys []manifest.Key) manifest.Problem {
	return manifest.Problem{Origin: manifest.Origin{File: path.Join(r.Root, name)},
		What: "has no manifest now; it declared " + objectsText(commit, keys),
		Fix:  "restore the manifest; or, to have the objects deleted, delete the file"}
}

func (r Reader) unselected(pattern, commit string, keys []manifest.Key) manifest.Problem {
	return manifest.Problem{Origin: manifest.Origin{File: cmp.Or(r.Root, ".")},
		What: fmt.Sprintf("has no file that matches the pattern %q of spec.source.include; the files that matched earlier declared %s", pattern, objectsText(commit, keys)),
		Fix:  "write the present name of the folder or file; or, to have the objects deleted, add a file such as README.md at the old place"}
}

// objectsText returns a text with some of the objects, and the commit.
func objectsText(commit string, keys []manifest.Key) string {
	const most, digits = 3, 10
	var names []string
	for _, k := range keys[:min(len(keys), most)] {
		names = append(names, k.String())
	}
	if n := len(keys) - most; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	in := "the commit before"
	if commit != "" {
		in = "commit " + commit[:min(len(commit), digits)]
	}
	return strings.Join(names, ", ") + " in " + in
}
