package sharenetwork

import "github.com/stackreeve/stackreeve/internal/reconcile/kind"

func validate(s *Spec, r *kind.Report) {
	switch {
	case s.NetworkRef != "" && s.SubnetRef == "":
		r.Problem("spec.resource.subnetRef", "is missing", "name a subnet of that network, or remove networkRef")
	case s.NetworkRef == "" && s.SubnetRef != "":
		r.Problem("spec.resource.networkRef", "is missing", "name the network of that subnet, or remove subnetRef")
	}
}

// observe lists the objects that a share network uses. It does not set the time of the last change, because
// Manila's time is only about the name and the description.
func observe(s *state, live *kind.Live) {
	live.Created = s.More.CreatedAt.Time
	for _, id := range []string{s.Spec.NetworkRef, s.Spec.SubnetRef} {
		if id != "" {
			live.Uses = append(live.Uses, id)
		}
	}
}

// export omits a network without a subnet, and a subnet without a network. A change by hand can cause either.
func export(_ *state, spec *Spec, e *kind.Export) {
	if (spec.NetworkRef == "") != (spec.SubnetRef == "") {
		spec.NetworkRef, spec.SubnetRef = "", ""
		e.AddLost("spec.resource.networkRef", "the share network has only one of a network and a subnet")
	}
}
