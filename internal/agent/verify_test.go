package agent

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/signature"
)

// verifies is a stand-in for signatures: a commit is verified unless its name begins with forged, or with huge, which cannot be
// checked. It stores the calls.
type verifies struct{ calls []string }

func (v *verifies) verify(_ context.Context, commit, last string) (source.Signed, error) {
	v.calls = append(v.calls, commit+" after "+last)
	if strings.HasPrefix(commit, "huge") {
		return source.Signed{}, errors.New("the commit is too large")
	}
	if strings.HasPrefix(commit, "forged") {
		return source.Signed{}, &source.Unverified{Commit: commit, Doubts: []source.Doubt{{Why: source.BadSignature, Commit: commit, Fault: &signature.Fault{Code: signature.Unsigned}}}}
	}
	return source.Signed{By: signature.Signer{Name: "ann", Key: "key of ann"}}, nil
}

// TestAnUnverifiedCommitIsNotRead keeps the last verified commit, and reads neither manifests nor policies of the newest one. Nothing is
// deleted meanwhile.
func TestAnUnverifiedCommitIsNotRead(t *testing.T) {
	o, v := &outside{commit: "one"}, &verifies{}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Verify = v.verify
	var read []string
	s.Weaker = func(files fs.FS) ([]plan.Policy, error) {
		names, err := fs.Glob(files, "*")
		read = append(read, names...)
		return nil, err
	}
	if run := s.Pass(t.Context()); run.Refused != nil || run.Revision.Signed.By.Name != "ann" {
		t.Fatalf("%+v", run.Refused)
	}
	o.commit = "forged"
	run := s.Pass(t.Context())
	if run.Refused == nil || !run.Refused.Unverified || run.Refused.Commit != "forged" || run.Revision.Commit != "one" || run.Outcome() != plan.Invalid {
		t.Fatalf("%+v", run)
	}
	if got, want := o.commits(), []string{"one/one", "one/one"}; !slices.Equal(got, want) || slices.Contains(read, "forged") {
		t.Errorf("passes %v, policies of %v", got, read)
	}
	gone := plan.Plan{Steps: []plan.Step{{Key: manifest.Key{Kind: "Thing", Name: "a"}, Action: plan.Delete}}}
	if kept := gone.Apply(o.passes[1].Policies...); kept.Steps[0].Action != plan.Keep {
		t.Error("an object is deleted:", kept.Steps[0].Action)
	}
	o.commit = "two"
	if run := s.Pass(t.Context()); run.Refused != nil || run.Revision.Commit != "two" {
		t.Errorf("%+v", run)
	}
	if last := v.calls[len(v.calls)-1]; last != "two after one" {
		t.Error(last)
	}
}

// TestTheLastVerifiedCommitOutlivesTheProcess uses the record of the previous process.
func TestTheLastVerifiedCommitOutlivesTheProcess(t *testing.T) {
	o, v := &outside{commit: "one"}, &verifies{}
	file := Record(filepath.Join(t.TempDir(), "record"))
	for range 2 {
		s := o.stack(t, "@every 1m", "@every 5m")
		s.Verify, s.Record = v.verify, file
		s.Pass(t.Context())
		o.commit = "two"
	}
	if !slices.Equal(v.calls, []string{"one after ", "two after one"}) {
		t.Error(v.calls)
	}
}

// TestAStartOnAnUnverifiedCommitFallsBack goes back to a commit that is verified, even if it has the same files as an unverified one.
func TestAStartOnAnUnverifiedCommitFallsBack(t *testing.T) {
	o, b, v := &outside{commit: "forged2"}, &branch{commits: []string{"forged1", "one", "older"}}, &verifies{}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Verify, s.Earlier = v.verify, b.earlier
	run := s.Pass(t.Context())
	if run.Refused == nil || !run.Refused.Unverified || !run.Refused.Cautious || run.Revision.Commit != "one" {
		t.Errorf("%+v", run)
	}
}

// TestAWithdrawnKeyEndsThePasses withdraws the key that signed the revision in force.
func TestAWithdrawnKeyEndsThePasses(t *testing.T) {
	o, v := &outside{commit: "one"}, &verifies{}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Verify = v.verify
	s.Pass(t.Context())
	s.Verify = func(ctx context.Context, _, last string) (source.Signed, error) { return v.verify(ctx, "forged", last) }
	if run := s.Pass(t.Context()); run.Refused == nil || run.Pass != nil || len(o.passes) != 1 {
		t.Errorf("%+v", run)
	}
}

// TestASignatureThatCannotBeCheckedIsNoRefusal waits for the server.
func TestASignatureThatCannotBeCheckedIsNoRefusal(t *testing.T) {
	o := &outside{commit: "one"}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Verify = func(context.Context, string, string) (source.Signed, error) {
		return source.Signed{}, errors.New("the server is away")
	}
	if run := s.Pass(t.Context()); run.Refused != nil || run.Err == nil || run.Pass != nil {
		t.Errorf("%+v", run)
	}
}

// TestAnUnverifiedCommitEndsNoPass lets only a verified commit end the pass in progress.
func TestAnUnverifiedCommitEndsNoPass(t *testing.T) {
	o, v := &outside{commit: "one"}, &verifies{}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Verify = v.verify
	s.Pass(t.Context())
	for commit, ends := range map[string]bool{"forged": false, "huge": false, "two": true} {
		o.commit = commit
		s.Signals.Wake()
		if by := s.newer(t.Context()); (by != "") != ends || s.fetched.Commit != commit {
			t.Errorf("%s: %q", commit, by)
		}
	}
}

// TestACommitThatCannotBeCheckedKeepsTheLastRevision corrects drift meanwhile, as after a failed fetch. Nothing of the commit is read, and
// nothing is deleted.
func TestACommitThatCannotBeCheckedKeepsTheLastRevision(t *testing.T) {
	o, v := &outside{commit: "one"}, &verifies{}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Verify = v.verify
	var read []string
	s.Weaker = func(files fs.FS) ([]plan.Policy, error) {
		names, err := fs.Glob(files, "*")
		read = append(read, names...)
		return nil, err
	}
	s.Pass(t.Context())
	o.commit = "huge"
	run := s.Pass(t.Context())
	if run.Refused != nil || run.Err != nil || run.FetchErr == nil || run.Revision.Commit != "one" || run.Outcome() != plan.Broken {
		t.Fatalf("%+v", run)
	}
	if got, want := o.commits(), []string{"one/one", "one/one"}; !slices.Equal(got, want) || slices.Contains(read, "huge") {
		t.Errorf("passes %v, policies of %v", got, read)
	}
	gone := plan.Plan{Steps: []plan.Step{{Key: manifest.Key{Kind: "Thing", Name: "a"}, Action: plan.Delete}}}
	if kept := gone.Apply(o.passes[1].Policies...); kept.Steps[0].Action != plan.Keep {
		t.Error("an object is deleted:", kept.Steps[0].Action)
	}
	o.commit = "two"
	if run := s.Pass(t.Context()); run.FetchErr != nil || run.Revision.Commit != "two" || v.calls[len(v.calls)-1] != "two after one" {
		t.Errorf("%+v", run)
	}
}

// The approval is carried to the next verified commit with the same files.
func TestAnApprovalIsNotCarriedToAnUnverifiedCommit(t *testing.T) {
	o, v := &outside{commit: "one", tree: "same"}, &verifies{}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Verify = v.verify
	s.Pass(t.Context())
	s.control.approval = &plan.Approval{Hash: "hash", By: "ann", Commit: "one"}
	for _, commit := range []string{"forged", "huge"} {
		o.commit = commit
		s.Pass(t.Context())
		if got := s.control.approval.Commit; got != "one" || o.passes[len(o.passes)-1].Commit != "one" || !o.passes[len(o.passes)-1].Synced {
			t.Errorf("after %s, the approval is of %s, and the pass is %+v", commit, got, o.passes[len(o.passes)-1])
		}
	}
	o.commit = "two"
	s.Pass(t.Context())
	if got := s.control.approval.Commit; got != "two" || !o.passes[len(o.passes)-1].Synced {
		t.Errorf("after a verified commit, the approval is of %s", got)
	}
}
