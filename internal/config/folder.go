package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// FolderFile is the file in which a stack's folder in the repository can restrict the agent. It is read from the
// commit, so everybody who may merge can write it. Therefore it can only restrict the agent, and allow nothing more.
const FolderFile = ".stackreeve.yaml"

// Folder is the content of [FolderFile].
type Folder struct {
	Suspend *bool      `json:"suspend,omitempty" doc:"true: the stack is planned and reported, but its cloud is not changed."`
	Sync    FolderSync `json:"sync,omitempty" doc:"Limits and rules for the changes that the agent makes."`
}

// FolderSync is the part of [Sync] that can be set in the repository.
type FolderSync struct {
	Mode *string `json:"mode,omitempty" doc:"manual: every change waits until the hash of its plan is approved."`
}

const (
	maxFolderFile = 64 << 10 // bytes
	folderAllows  = "write only suspend: true or sync: {mode: manual}; all other settings belong to the agent's configuration, which a commit cannot change"
)

// ReadFolder reads [FolderFile] from the root of files. Without such a file, it returns no policies. If the file is
// wrong, the error is a [manifest.Problems].
func ReadFolder(files fs.FS) ([]plan.Policy, error) {
	const near = ".stackreeve.yml"
	if _, err := fs.Lstat(files, near); err == nil {
		return nil, manifest.Problems{{Origin: manifest.Origin{File: near}, What: "is not read", Fix: "rename it to " + FolderFile}}
	}
	text, err := readFolderFile(files)
	var problems manifest.Problems
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.As(err, &problems):
		return nil, problems
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", FolderFile, err)
	}
	var folder Folder
	where, problems := manifest.Settings(FolderFile, text, &folder)
	for i, p := range problems {
		if p.Fix == "" || p.Field != "" {
			problems[i].Fix = folderAllows
		}
	}
	problems = append(problems, folder.stronger(where)...)
	if len(problems) > 0 {
		return nil, problems.Sorted()
	}
	return folder.policies(), nil
}

func readFolderFile(files fs.FS) ([]byte, error) {
	info, err := fs.Lstat(files, FolderFile)
	if err != nil {
		return nil, err
	}
	wrong := func(what, fix string) error {
		return manifest.Problems{{Origin: manifest.Origin{File: FolderFile}, What: what, Fix: fix}}
	}
	if !info.Mode().IsRegular() {
		return nil, wrong("not a regular file", "put the file itself at this path")
	}
	f, err := files.Open(FolderFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the file was only read
	text, err := io.ReadAll(io.LimitReader(f, maxFolderFile+1))
	if len(text) > maxFolderFile {
		return nil, wrong(fmt.Sprintf("larger than %d bytes", maxFolderFile), folderAllows)
	}
	return text, err
}

// stronger returns a problem for each field that would remove a restriction of the configuration.
func (f Folder) stronger(where func(string) manifest.Origin) (problems manifest.Problems) {
	wrong := func(field, what string) {
		problems = append(problems, manifest.Problem{Origin: where(field), Field: field, What: what,
			Fix: "remove the field: a commit can suspend a stack, but cannot undo a setting of the agent's configuration"})
	}
	if f.Suspend != nil && !*f.Suspend {
		wrong("suspend", "is false, but only true is possible")
	}
	if f.Sync.Mode != nil && *f.Sync.Mode != "manual" {
		wrong("sync.mode", fmt.Sprintf("is %q, but only manual is possible", *f.Sync.Mode))
	}
	return problems
}

func (f Folder) policies() (list []plan.Policy) {
	if f.Suspend != nil {
		list = append(list, guard.Suspend("suspend is true in "+FolderFile))
	}
	if f.Sync.Mode != nil {
		list = append(list, guard.Manual("sync.mode is manual in "+FolderFile))
	}
	return list
}
