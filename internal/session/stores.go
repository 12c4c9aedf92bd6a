package session

import (
	"encoding/json"
	"sync"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/secretstore"
)

// stores are the readers of the stores of stacks. The branch and the pull requests of a stack share a reader, and so its pauses after
// failures.
type stores struct {
	mu sync.Mutex
	of map[string]*secretstore.Reader // by the stack and the configuration of its stores
}

// stores returns the stores of a stack.
func (o Opener) stores(s *config.Stack) resolve.Stores {
	made := resolve.Stores{Forms: s.StoreForms()}
	if o.WithoutStores && len(made.Forms) == 0 {
		made.Forms = nil // perhaps there is no configuration here
	}
	switch {
	case o.WithoutStores:
		made.Untried = "no store is read here"
	case o.Sealed:
		made.Untried = "no store is read for files of strangers"
	case len(s.Spec.SecretStores) == 0:
		made.Untried = "the stack's configuration has no stores"
	default:
		made.Read = o.storeReader(s).Read
	}
	return made
}

// storeReader returns the reader of a stack's stores. The first call makes it.
func (o Opener) storeReader(s *config.Stack) *secretstore.Reader {
	if o.Shared == nil {
		return o.newStoreReader(s)
	}
	text, _ := json.Marshal(s.Spec.SecretStores) // it has only texts
	all, key := &o.Shared.stores, s.Name+" "+string(text)
	all.mu.Lock()
	defer all.mu.Unlock()
	if one := all.of[key]; one != nil {
		return one
	}
	if all.of == nil {
		all.of = map[string]*secretstore.Reader{}
	}
	all.of[key] = o.newStoreReader(s)
	return all.of[key]
}

func (o Opener) newStoreReader(s *config.Stack) *secretstore.Reader {
	opened := map[string]secretstore.Store{}
	for _, store := range s.Spec.SecretStores {
		if store.Files != nil {
			opened[store.Name] = secretstore.Files{Folder: store.Files.Folder}
		}
	}
	return secretstore.New(opened, o.Log.With("stack", s.Name))
}
