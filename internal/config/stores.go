package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// SecretStore is a store with values that are not in the repository. Exactly one of its kinds is set.
type SecretStore struct {
	Name  string      `json:"name" rule:"required,min=1,max=63,format=name" doc:"Name by which manifests refer to the store."`
	Files *FilesStore `json:"files,omitempty" doc:"A folder of the agent's machine. Each file in it is one value."`
}

// FilesStore is a folder with secrets.
type FilesStore struct {
	Folder string `json:"folder" rule:"required,min=1" doc:"The folder, which is not in a work tree of Git. Manifests can name every file in it and in its subfolders. Links that lead out of it are not followed. With source.paths, {folder} is replaced by the name of the stack's folder."`
}

func storeField(i int, name string) string { return fmt.Sprintf("spec.secretStores[%d].%s", i, name) }

// checkStores reports mistakes in the stores.
func (s *Spec) checkStores(add func(field, what string)) {
	for i, store := range s.SecretStores {
		if slices.ContainsFunc(s.SecretStores[:i], func(o SecretStore) bool { return o.Name == store.Name }) {
			add(storeField(i, "name"), fmt.Sprintf("another store has the name %s, too; rename one of the two", store.Name))
		}
		if store.kinds() != 1 {
			add(fmt.Sprintf("spec.secretStores[%d]", i), "needs exactly one kind of store; set "+storeKinds)
		}
	}
}

const storeKinds = "files"

func (s SecretStore) kinds() (count int) {
	for _, set := range []bool{s.Files != nil} {
		if set {
			count++
		}
	}
	return count
}

// StoreForms returns the forms of the stores that manifests of the stack may name.
func (s *Stack) StoreForms() map[string]resolve.StoreForm {
	forms := map[string]resolve.StoreForm{}
	for _, store := range s.Spec.SecretStores {
		forms[store.Name] = resolve.StoreForm{}
	}
	return forms
}

// storesBelow makes relative folders relative to the folder of the configuration.
func (s *Spec) storesBelow(folder string) {
	for _, store := range s.SecretStores {
		if f := store.Files; f != nil && f.Folder != "" && !filepath.IsAbs(f.Folder) {
			f.Folder = filepath.Join(folder, f.Folder)
		}
	}
}

// inFolder returns the store for the stack of one folder of source.paths.
func (s SecretStore) inFolder(folder string) SecretStore {
	if s.Files != nil {
		s.Files = &FilesStore{Folder: strings.ReplaceAll(s.Files.Folder, folderWord, folder)}
	}
	return s
}
