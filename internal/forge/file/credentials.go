package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// RightsByTask implements [forge.Credentials].
func (f *file) RightsByTask() map[forge.Task]string {
	return map[forge.Task]string{forge.TaskStatuses: "read the file", forge.TaskWriteStatuses: "append to the file"}
}

// Owner implements [forge.Credentials]: nobody logs in to a file.
func (f *file) Owner(context.Context) (forge.Owner, error) { return forge.Owner{}, nil }

// Reach implements [forge.Credentials].
func (f *file) Reach(context.Context) error { return nil }

// Held implements [forge.Credentials]. It opens the file for writing and closes it again, which does not
// change the file.
func (f *file) Held(ctx context.Context, _ forge.Sample) (map[forge.Task]forge.TaskResult, error) {
	held := map[forge.Task]forge.TaskResult{forge.TaskStatuses: {Result: forge.Works}, forge.TaskWriteStatuses: {Result: forge.Works}}
	if _, err := f.Statuses(ctx, ""); err != nil {
		held[forge.TaskStatuses] = forge.TaskResult{Result: forge.Missing, Why: err.Error()}
	}
	out, err := open(f.path, os.O_APPEND|os.O_WRONLY)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why := fmt.Sprintf("%s does not exist yet; the first status creates the file if its folder exists", f.path)
		held[forge.TaskWriteStatuses] = forge.TaskResult{Result: forge.NotTried, Why: why}
		return held, nil
	case err != nil:
		held[forge.TaskWriteStatuses] = forge.TaskResult{Result: forge.Missing, Why: err.Error()}
		return held, nil
	}
	return held, out.Close()
}
