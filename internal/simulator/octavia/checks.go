package octavia

import (
	"fmt"
	"slices"
	"strings"
)

func toText(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// judgePersistence checks the session persistence of a pool in a request
// (octavia/api/v2/controllers/pool.py, octavia/common/validate.py: check_session_persistence).
func judgePersistence(in object, rec any) error {
	p, ok := rec.(*Pool)
	s, given := in["session_persistence"].(object)
	if !ok || !given {
		return nil
	}
	kind, cookie := toText(s["type"]), toText(s["cookie_name"])
	datagrams := p.Protocol == "UDP" || p.Protocol == "SCTP"
	switch {
	case !slices.Contains([]string{"SOURCE_IP", "HTTP_COOKIE", "APP_COOKIE"}, kind):
		return badRequest("Invalid input for field/attribute type. Value: '%s'.", kind)
	case datagrams && kind != "SOURCE_IP":
		return invalid("Session persistence of type %s is not supported for UDP/SCTP protocol pools.", kind)
	case !datagrams && (s["persistence_timeout"] != nil || s["persistence_granularity"] != nil):
		return invalid("persistence_timeout and persistence_granularity is only for UDP and SCTP protocol pools.")
	case cookie != "" && kind != "APP_COOKIE":
		return invalid("Field \"cookie_name\" can only be specified with session persistence of type \"APP_COOKIE\".")
	case cookie == "" && kind == "APP_COOKIE":
		return invalid("Field \"cookie_name\" must be specified when using the \"APP_COOKIE\" session persistence type.")
	}
	for _, name := range []string{"cookie_name", "persistence_timeout", "persistence_granularity"} {
		if _, said := s[name]; !said {
			s[name] = nil
		}
	}
	return nil
}

// judgeTLS checks the attributes about TLS and headers of a new listener
// (octavia/api/v2/controllers/listener.py: _validate_create_listener).
func (l *Listener) judgeTLS() error {
	terminates := l.Protocol == "TERMINATED_HTTPS"
	for name := range l.InsertHeaders {
		if l.Protocol != "HTTP" && !terminates || !terminates && strings.HasPrefix(name, "X-SSL-") {
			return badRequest("insert-headers is not a valid option for a %s protocol listener.", l.Protocol)
		}
	}
	switch {
	case !terminates && (l.TLSContainer != nil || len(l.SNIContainers) > 0 || l.ClientCA != nil):
		return invalid("Certificate container references are not allowed on %s protocol listeners.", l.Protocol)
	case l.ClientAuth != "NONE" && l.ClientCA == nil:
		return invalid("Client authentication setting %s requires a client CA container reference.", l.ClientAuth)
	case l.ClientCRL != nil && l.ClientCA == nil:
		return invalid("A client authentication CA reference is required to specify a client authentication revocation list.")
	}
	return nil
}

// mayRead returns an error if the key manager does not have a certificate. It checks the certificates that the
// request names, and the listener's certificate authority and revocation list
// (octavia/api/v2/controllers/base.py: _validate_tls_refs, _validate_client_ca_and_crl_refs).
func (o *Octavia) mayRead(l *Listener, in object) error {
	if o.opts.Holds == nil {
		return nil
	}
	var bad []string
	check := func(refs ...any) {
		for _, ref := range refs {
			if address, ok := ref.(string); ok && address != "" && !o.opts.Holds(l.ProjectID, address) {
				bad = append(bad, "'"+address+"'")
			}
		}
	}
	hosts, _ := in["sni_container_refs"].([]any)
	check(append(hosts, in["default_tls_container_ref"])...)
	for name, has := range map[string]*string{"client_ca_tls_container_ref": l.ClientCA, "client_crl_container_ref": l.ClientCRL} {
		if ref, given := in[name]; given && ref != nil {
			check(ref)
		} else if has != nil {
			check(*has)
		}
	}
	if len(bad) > 0 {
		slices.Sort(bad)
		return badRequest("Could not retrieve certificate: [%s]", strings.Join(bad, ", "))
	}
	return nil
}

// mayGo returns an error if a pool cannot be deleted because an L7 policy redirects to it.
func (p *Pool) mayGo() error {
	for _, l := range p.lb.listeners {
		for _, y := range l.policies {
			if y.RedirectPool != nil && *y.RedirectPool == p.ID && y.Provisioning != pendingDelete {
				return conflict("Pool %s is in use by L7 policy %s", p.ID, y.ID)
			}
		}
	}
	return nil
}

// mayPoint checks a change of the default pool.
func (l *Listener) mayPoint(body object) error {
	id, ok := body["default_pool_id"].(string)
	if !ok {
		return nil
	}
	p := l.lb.poolByID(id)
	if p == nil {
		return notFound("Pool", id)
	}
	return fits(l, p)
}

func fits(l *Listener, p *Pool) error {
	if !slices.Contains(fitting[l.Protocol], p.Protocol) {
		return invalid("The pool protocol '%s' is invalid while the listener protocol is '%s'.", p.Protocol, l.Protocol)
	}
	return nil
}

func transport(protocol string) string {
	if protocol == "UDP" || protocol == "SCTP" {
		return protocol
	}
	return "TCP"
}
