package virtualmachinegroup

import (
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// policies maps the policies of manifests to Nova's names.
var policies = map[string]string{"": "soft-anti-affinity", "soft": "soft-anti-affinity", "hard": "anti-affinity"}

func (rules) Validate(s *Spec, r *kind.Report) {
	s.Template.Validate("spec.template", r)
	s.Template.ValidateForMany("spec.template", s.machines(), r)
	s.validateZones(r)
	s.validateScale(r)
	validateProbes(s.Probes, r)
	s.Strategy.validate(s.machines(), r)
	s.Heal.validate(len(s.Probes) > 0, r)
	s.DNS.validate(r)
	if s.ServerGroup != "" && s.HAPolicy != "" {
		r.Problem("spec.haPolicy", "is given together with serverGroup, which has a policy of its own", "keep one of them")
	}
}

type body struct {
	Spec any `json:"spec"`
}
