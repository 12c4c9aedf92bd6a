package engine

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// probesAtOnce is the number of members that are probed at the same time. If no member answers, probing takes one timeout for each 64
// members.
const probesAtOnce = 64

// probe probes the members of a plan whose probes are due. It returns the members that do not serve, according to the latest results of all
// probes.
//
// A probe may have to be repeated. The planner then calls [plan.Step.AwaitServing] for the member's step, and trackPending notes the kind of the
// member as awaited. That kind is listed again after a time, and the next planRound repeats the probe. These functions of package group cause
// that:
//
//	the member                                                                called by
//	-----------------------------------------------------------------------   -------------
//	is a suspect: it has served, and has failed only a few times              MarkWorkers
//	does not serve, and other members or a spare wait for it                  takeTurns, awaitSpares, delayStandIns
//	has not served since it was made or changed, and no other waits for it    awaitUnproven
func (e *Engine) probe(ctx context.Context, p plan.Plan) map[manifest.Key]rollout.Finding {
	if e.Probe == nil {
		return nil
	}
	list := p.Probed()
	e.probeDue(ctx, list)
	sick := map[manifest.Key]rollout.Finding{}
	for _, m := range list {
		for i, how := range m.Probes {
			found := e.past().Probed(m.Member, i).Finding(how, m.Of)
			if first := sick[m.Member]; found.Sick != "" && (first.Sick == "" || first.Suspect) {
				sick[m.Member] = found
			}
		}
	}
	return sick
}

func (e *Engine) probeDue(ctx context.Context, list []plan.Probed) {
	type answer struct {
		member manifest.Key
		probe  int
		of     string
		err    error
	}
	answers := make(chan answer, len(list))
	var group errgroup.Group
	group.SetLimit(probesAtOnce)
	for _, m := range list {
		for i, how := range m.Probes {
			if e.past().Probed(m.Member, i).Due(how, m.Of, m.Since, time.Now()) {
				group.Go(func() error {
					answers <- answer{m.Member, i, m.Of, e.Probe(ctx, m.Address, how)}
					return nil
				})
			}
		}
	}
	go func() {
		_ = group.Wait() // the functions never fail
		close(answers)
	}()
	for a := range answers {
		if ctx.Err() == nil {
			e.past().NoteAnswer(a.member, a.probe, a.of, time.Now(), a.err)
		}
	}
}
