package source

import (
	"context"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/stackreeve/stackreeve/internal/source/merge"
	"github.com/stackreeve/stackreeve/internal/source/signature"
)

// judgement collects what is known of the commits of a range.
type judgement struct {
	v       *verifier
	people  map[string]bool
	head    signature.Signer // the signer of head
	byForge bool             // the forge signed head
	merges  int
	doubts  []Doubt
}

// add judges one commit of a range.
func (j *judgement) add(ctx context.Context, h plumbing.Hash) error {
	o, doubt := j.v.person(h)
	if doubt == nil {
		j.people[o.signer.Name] = true
		j.signed(h, o, false)
		return nil
	}
	forged, other := j.v.signedBy(h, j.v.trust.Forge)
	if other != nil {
		if doubt.Fault.Code == signature.Unknown {
			doubt = other
		}
		j.doubts = append(j.doubts, *doubt)
		return nil
	}
	j.signed(h, forged, true)
	doubt, err := j.forgeMerge(ctx, h, forged)
	if doubt != nil {
		j.doubts = append(j.doubts, *doubt)
	}
	return err
}

func (j *judgement) signed(h plumbing.Hash, o signedObject, byForge bool) {
	if h == j.v.head {
		j.head, j.byForge = o.signer, byForge
	}
}

// forgeMerge checks that a commit is what git makes of its two parents. Both parents are trusted themselves, so the commit contains nothing
// that their signers did not sign.
func (j *judgement) forgeMerge(ctx context.Context, h plumbing.Hash, o signedObject) (*Doubt, error) {
	if len(o.Parents) != 2 {
		return &Doubt{Why: ForgeCommit, Commit: h.String()}, nil
	}
	other := func(detail string) *Doubt { return &Doubt{Why: ForgeContent, Commit: h.String(), Detail: detail} }
	if j.merges++; j.merges > maxForgeMerges {
		return other(fmt.Sprintf(", and the agent repeats at most %d merges for one revision", maxForgeMerges)), nil
	}
	r := j.v.repo
	var sides []*object.Commit
	for _, parent := range o.Parents {
		c, err := r.ensureCommit(ctx, j.v.conv, plumbing.NewHash(parent))
		if err != nil {
			return nil, err
		}
		sides = append(sides, c)
	}
	result, err := merge.Commits(ctx, r.cache.Store(), j.v.history(), sides[0], sides[1:], "")
	switch {
	case err != nil && !NeedsPerson(err):
		return nil, err
	case err != nil:
		return other(", and the agent could not repeat the merge"), nil
	case len(result.Conflicts) > 0:
		return other(", and the agent could not repeat the merge: its parents conflict in " + result.Conflicts[0]), nil
	case result.Folder.String() != o.Tree:
		return other(", and git merges the same parents with another result"), nil
	}
	return nil, nil
}
