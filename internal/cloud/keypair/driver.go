package keypair

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

type driver struct{ c *cloud.Client }

// withPages is the microversion from which Nova pages key pairs; it shows
// their type from 2.2.
const withPages = "2.35"

// List reads the key pairs of the user. Their names are their IDs.
func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	version, err := d.c.Microversion(ctx, cloud.Compute, withPages)
	if err != nil {
		return nil, err
	}
	list, err := cloud.List[struct {
		KeyPair State `json:"keypair"`
	}](ctx, d.c, cloud.Call{Service: cloud.Compute, Path: "os-keypairs", Microversion: version}, "keypairs")
	if err != nil {
		return nil, err
	}
	out := make([]kind.Live[*State], len(list))
	for i := range list {
		out[i] = d.live(&list[i].KeyPair)
	}
	return out, nil
}

// live is a key pair as the stack sees it. One that a stack in another project
// has marked is somebody else's.
func (d driver) live(s *State) kind.Live[*State] {
	if s.Type == "" {
		s.Type = "ssh"
	}
	_, mark, project := unmarked(s.PublicKey)
	return kind.Live[*State]{ID: s.Name, Name: s.Name, Mark: mark, Mine: mark == nil || project == d.c.ProjectID, Phase: kind.Ready, State: s}
}

func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	var answer struct {
		KeyPair State `json:"keypair"`
	}
	name := rules{}.Name(w)
	body := map[string]any{"name": name, "public_key": marked(w.Spec.PublicKey, w.Mark, d.c.ProjectID)}
	err := d.c.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "os-keypairs",
		Body: map[string]any{"keypair": body}, Into: &answer})
	if errors.Is(err, kind.ErrBusy) {
		return kind.Live[*State]{}, fmt.Errorf("%w: the user of these credentials has a key pair %s already; rename one of them (%s)", kind.ErrRejected, name, err.Error())
	}
	if err != nil {
		return kind.Live[*State]{}, err
	}
	return d.live(&answer.KeyPair), nil
}

// Update makes the key pair anew with another mark: Nova cannot change one, and
// nothing that exists leans on it. Killed in between, the next pass creates it.
func (d driver) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*State], _ []kind.Change) error {
	if _, err := d.Delete(ctx, have); err != nil {
		return err
	}
	_, err := d.Create(ctx, w)
	return err
}

func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (bool, error) {
	err := d.c.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodDelete, Path: "os-keypairs/" + url.PathEscape(have.ID)})
	return err == nil, err
}
