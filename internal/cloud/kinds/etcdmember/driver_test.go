package etcdmember

import (
	"errors"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// anywhere asks one machine after the other until one does it. It continues after a machine that does not
// answer, is a learner, or does not understand the request.
func TestAnywhere(t *testing.T) {
	learner, missing, invalid := &etcd.Refused{Code: 9, Message: "rpc not supported for learner"}, &etcd.Refused{Code: 5, Message: "member not found"}, &etcd.Refused{Code: 3, Message: "nonsense"}
	for name, c := range map[string]struct {
		answers []error
		want    string // the expected text of the error
		class   error
	}{
		"a learner, then a voter":   {[]error{learner, nil}, "", nil},
		"a learner, then nobody":    {[]error{learner, etcd.ErrSilent}, "for learner", kind.ErrBusy},
		"nobody, then a learner":    {[]error{etcd.ErrSilent, learner}, "for learner", kind.ErrBusy},
		"no such member":            {[]error{etcd.ErrSilent, missing, nil}, "member not found", nil},
		"not understood":            {[]error{invalid, nil}, "", nil},
		"nobody":                    {[]error{etcd.ErrSilent}, "does not answer", kind.ErrUnanswered},
		"no other":                  {nil, "no other member", kind.ErrBusy},
		"not understood, by anyone": {[]error{invalid}, "nonsense", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var addresses []string
			for range c.answers {
				addresses = append(addresses, "10.0.0.1")
			}
			asked := 0
			err := anywhere(addresses, func(string) error { asked++; return c.answers[asked-1] })
			if got := errorText(err); (got == "") != (c.want == "") || !strings.Contains(got, c.want) || c.class != nil && !errors.Is(err, c.class) {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}

// Update makes a member hand over if it is the leader, whatever words the plan's change has for the roles.
func TestALeaderHandsOver(t *testing.T) {
	change := []kind.Change{{Field: "role", Have: "chairs", Want: "votes"}}
	for name, c := range map[string]struct {
		is   etcd.Member
		lead bool
		busy bool // whether Update looks for another member, of which there is none
	}{
		"a leader": {lead: true, busy: true}, "a voter": {}, "a learner": {is: etcd.Member{IsLearner: true}, busy: true},
	} {
		err := driver{}.Update(t.Context(), want{}, live{State: &State{Member: c.is, Leads: c.lead}}, change)
		if errors.Is(err, kind.ErrBusy) != c.busy {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (driver{}).Update(t.Context(), want{}, live{State: &State{Leads: true}}, nil); err != nil {
		t.Errorf("nobody asked for it: %v", err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
