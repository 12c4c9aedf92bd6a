package keypair

import (
	"context"
	"errors"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

type (
	state  = define.State[Spec, More]
	driver = *define.Driver[Spec, Filter, More]
)

// observe sets the type ssh if Nova shows no type.
func observe(s *state, _ *kind.Live) {
	if table.Or(s.Spec.Type, "") == "" {
		s.Spec.Type = new(string)
		*s.Spec.Type = "ssh"
	}
}

func create(ctx context.Context, d driver, w typed.Want[Spec]) (*state, error) {
	body := d.Creation(w)
	made, err := d.Post(ctx, w, body)
	if errors.Is(err, kind.ErrBusy) {
		return nil, fmt.Errorf("%w: the user of these credentials has a key pair %s already; rename one of the two (%s)", kind.ErrRejected, body["name"], err.Error())
	}
	return made, err
}

// update deletes the key pair and creates it with the new mark, because Nova cannot change a key pair. No existing
// object depends on a key pair. If the agent is killed between the two, the next pass creates it.
func update(ctx context.Context, d driver, change define.Change[Spec, More]) error {
	if _, err := d.Remove(ctx, change.Have.ID); err != nil {
		return err
	}
	_, err := create(ctx, d, change.Want)
	return err
}
