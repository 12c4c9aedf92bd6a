package cloud

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// block is a conflict that lasts until a person resolves it, recognised by the service's message. Other conflicts
// come from work in progress, or from users that are being removed; the agent waits for them.
type block struct {
	says *pattern.Pattern
	fix  string // who has to do what
}

// Blocks of Nova. (nova/exception.py: InstanceIsLocked, InstanceInvalidState)
var computeBlocks = []block{
	{pattern.Of(`(?i)\bis locked\b`), "the server is locked: the person who locked it (its owner or an administrator) has to unlock it (openstack server unlock)"},
	{pattern.Of(`in vm_state paused\b`), "somebody has paused the server: unpause it"},
	{pattern.Of(`in vm_state suspended\b`), "somebody has suspended the server: resume it"},
	{pattern.Of(`in vm_state rescued\b`), "somebody has put the server into rescue mode: unrescue it"},
	{pattern.Of(`in vm_state shelved`), "somebody has shelved the server: unshelve it"},
	{pattern.Of(`in vm_state soft-delete`), "the server is deleted and kept for a while: restore it, or wait until Nova reclaims it"},
}

// Blocks of Neutron. (neutron_lib/exceptions/l3.py: RouterInterfaceInUseByRoute)
var networkBlocks = []block{
	{pattern.Of(`RouterInterfaceInUseByRoute|required by one or more routes`), "routes of the router use this interface: remove these routes first (openstack router remove route)"},
}

// blocked returns the block that matches a conflict; nil if waiting may resolve the conflict.
func (s *service) blocked(words []byte) *block {
	for i := range s.blocks {
		if s.blocks[i].says.Regexp().Match(words) {
			return &s.blocks[i]
		}
	}
	return nil
}

// Passes turns a rejection into [kind.ErrBusy] if the service's message contains one of words, so that the request is
// retried. Other rejections, and forbidden requests, stay rejected: waiting does not help.
func Passes(err error, words ...string) error {
	if !errors.Is(err, kind.ErrRejected) || errors.Is(err, kind.ErrForbidden) || errors.Is(err, kind.ErrExhausted) {
		return err
	}
	for _, w := range words {
		if strings.Contains(err.Error(), w) {
			return fmt.Errorf("%w: %s", kind.ErrBusy, err.Error())
		}
	}
	return err
}
