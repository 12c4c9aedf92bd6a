package secretstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/private"
)

// Files is a folder of this machine. Each file below it is a secret with one field. A link is followed if it stays in the folder.
type Files struct{ Folder string }

// Read implements [Store].
func (f Files) Read(_ context.Context, at Place, _ *Secret) (*Secret, error) {
	if root := localfile.WorkTree(f.Folder); root != "" {
		return nil, private.Hide("the folder of the store lies in the work tree of a repository; move it out of there", fmt.Errorf("%w: %s lies in the work tree of %s", ErrDown, f.Folder, root))
	}
	text, err := localfile.ReadBelow(f.Folder, at.Path, MaxValue)
	switch {
	case errors.Is(err, localfile.ErrNoFolder):
		return nil, Down("the folder of the store cannot be opened", err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, private.Hide(ErrMissing.Error(), fmt.Errorf("%w: %w", ErrMissing, err))
	case err != nil:
		return nil, private.Hide("cannot be read; the agent's log has the details", err)
	case len(text) == 0:
		return nil, ErrMissing // a program that writes the file has not finished
	}
	return &Secret{Fields: map[string]string{"": string(text)}}, nil
}
