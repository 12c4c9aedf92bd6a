package session

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/secretstore"
)

// stores are the readers of the stores of stacks. All readings of a stack's branch use one reader, with its pauses after failures and its
// limit of requests. Plans use another one, so that a pull request cannot make values of the branch unknown.
type stores struct {
	mu sync.Mutex
	of map[storesOf]*storesReader
}

// storesOf says whose readings share a reader.
type storesOf struct {
	stack string
	plans bool
}

// storesReader is the reader that belongs to one configuration of a stack.
type storesReader struct {
	*secretstore.Reader
	configured string    // everything on which the stores depend
	used       time.Time // the last use
}

// unused is the time after which a reader that nobody has used is dropped, with the values that it remembers.
const unused = time.Hour

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
	text, _ := json.Marshal([]any{s.Spec.Cloud, s.Spec.Project, s.Spec.SecretStores}) // the value has only texts, so this cannot fail
	all, key, now := &o.Shared.stores, storesOf{s.Name, o.plans}, time.Now()
	all.mu.Lock()
	defer all.mu.Unlock()
	one := all.of[key]
	if one == nil || one.configured != string(text) {
		maps.DeleteFunc(all.of, func(_ storesOf, r *storesReader) bool { return now.Sub(r.used) > unused })
		if all.of == nil {
			all.of = map[storesOf]*storesReader{}
		}
		one = &storesReader{Reader: o.newStoreReader(s), configured: string(text)}
		all.of[key] = one
	}
	one.used = now
	return one.Reader
}

// vault returns a store of Vault, or a store that always fails if its configuration is wrong.
func vault(store config.SecretStore) secretstore.Store {
	c, err := store.Vault.Secrets(store.Name)
	if err == nil {
		var v *secretstore.Vault
		if v, err = secretstore.NewVault(c); err == nil {
			return v
		}
	}
	return broken{secretstore.Down("its configuration is wrong; the agent's log has the details", err)}
}

// broken is a store that cannot be opened.
type broken struct{ err error }

// Read implements [secretstore.Store].
func (b broken) Read(context.Context, secretstore.Place, *secretstore.Secret) (*secretstore.Secret, error) {
	return nil, b.err
}

func (o Opener) newStoreReader(s *config.Stack) *secretstore.Reader {
	opened := map[string]secretstore.Store{}
	for _, store := range s.Spec.SecretStores {
		switch {
		case store.Files != nil:
			opened[store.Name] = secretstore.Files{Folder: store.Files.Folder}
		case store.Barbican != nil:
			opened[store.Name] = newBarbican(store.Barbican.Prefix, func(ctx context.Context) (*cloud.Client, error) { return cloud.Open(ctx, o.cloudConfig(s)) })
		case store.Vault != nil:
			opened[store.Name] = vault(store)
		}
	}
	return secretstore.New(opened, o.Log.With("stack", s.Name))
}
