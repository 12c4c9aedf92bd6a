package loadbalancer

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// http reports whether the load balancer reads the requests as HTTP.
func (p *Port) http() bool { return p.Protocol == "http" || p.Protocol == "terminatedHTTPS" }

// validateListener makes the same checks as Octavia (octavia/api/v2/controllers/listener.py: _validate_create_listener).
func (p *Port) validateListener(field string, r *kind.Report) {
	for i, name := range p.InsertHeaders {
		at := fmt.Sprintf("%s.insertHeaders[%d]", field, i)
		switch {
		case !p.http():
			r.Problem(at, "cannot be inserted while clients speak "+p.Protocol, "remove it, or use protocol http or terminatedHTTPS")
		case strings.HasPrefix(name, "X-SSL-") && p.Protocol != "terminatedHTTPS":
			r.Problem(at, "is about TLS, which the load balancer does not terminate", "remove it, or use protocol terminatedHTTPS")
		}
	}
	switch terminated := p.Protocol == "terminatedHTTPS"; {
	case !terminated && p.TLS != nil:
		r.Problem(field+".tls", "means nothing while clients speak "+p.Protocol, "remove it, or use protocol terminatedHTTPS")
	case terminated && (p.TLS == nil || p.TLS.BarbicanRef == nil && len(p.TLS.SNIBarbicanRefs) == 0):
		r.Problem(field+".tls.barbicanRef", "is missing", "name the certificate in Barbican, or use protocol https, which leaves TLS to the machines")
	case terminated:
		p.TLS.validate(field+".tls", r)
	}
}

func (t *TLS) validate(field string, r *kind.Report) {
	mode := table.Or(t.ClientAuthentication, "none")
	if mode != "none" && t.ClientCABarbicanRef == nil {
		r.Problem(field+".clientCABarbicanRef", "is missing", "name the authority that certificates of clients must be signed by, or leave out clientAuthentication")
	}
	if mode == "none" && t.ClientCABarbicanRef != nil {
		r.Note(field+".clientCABarbicanRef", "has no effect as long as clientAuthentication is none")
	}
	if t.ClientCRLBarbicanRef != nil && t.ClientCABarbicanRef == nil {
		r.Problem(field+".clientCRLBarbicanRef", "is nothing without clientCABarbicanRef", "name the authority, or remove the list")
	}
	for _, list := range []struct {
		name  string
		items []string
	}{{"versions", t.Versions}, {"alpnProtocols", t.ALPNProtocols}} {
		if list.items != nil && len(list.items) == 0 {
			r.Problem(field+"."+list.name, "is empty", "name at least one, or leave it out for what the cloud has")
		}
	}
}

// validatePolicies makes the same checks as Octavia (octavia/common/validate.py: l7rule_data and
// sanitize_l7policy_api_args). It also refuses fields that would have no effect.
func (p *Port) validatePolicies(field string, r *kind.Report) {
	if len(p.L7Policies) > 0 && !p.http() {
		r.Problem(field+".l7Policies", "work only for HTTP: with protocol "+p.Protocol+" the load balancer does not read requests", "remove them, or use protocol http or terminatedHTTPS")
	}
	names, positions := map[string]int{}, map[int]int{}
	for i := range p.L7Policies {
		policy, at := &p.L7Policies[i], policyField(field, i)
		if other, twice := names[policy.name(i)]; twice {
			r.Problem(at+".name", fmt.Sprintf("%s is that of %s already", policy.name(i), policyField(field, other)), "give each a name of its own; those without one are called by their number")
		}
		names[policy.name(i)] = i
		if n := policy.Position; n != nil {
			if other, twice := positions[*n]; twice {
				r.Problem(at+".position", fmt.Sprintf("%d is that of %s already", *n, policyField(field, other)), "give each one of its own, or leave them out for the order of the list")
			}
			positions[*n] = i
		}
		policy.validate(p, at, r)
	}
}

func (l *L7Policy) validate(of *Port, field string, r *kind.Report) {
	for _, target := range []struct {
		name, action string
		given        bool
	}{
		{"redirectPool", "redirectToPool", l.RedirectPool != nil},
		{"redirectURL", "redirectToUrl", l.RedirectURL != nil},
		{"redirectPrefix", "redirectPrefix", l.RedirectPrefix != nil},
	} {
		if wanted := target.action == l.Action; wanted && !target.given {
			r.Problem(field+"."+target.name, "is missing", "give it, since the action is "+l.Action)
		} else if !wanted && target.given {
			r.Problem(field+"."+target.name, "means nothing with action "+l.Action, "remove it, or use action "+target.action)
		}
	}
	if l.RedirectHTTPCode != nil && l.RedirectURL == nil && l.RedirectPrefix == nil {
		r.Problem(field+".redirectHTTPCode", "means nothing with action "+l.Action, "remove it")
	}
	if l.RedirectPool != nil {
		l.RedirectPool.validate(of, field+".redirectPool", r)
	}
	for i := range l.Rules {
		l.Rules[i].validate(of, fmt.Sprintf("%s.rules[%d]", field, i), r)
	}
}

var (
	headerName  = pattern.Of(`^[a-zA-Z0-9!#$%&'*+.^_|~` + "`" + `-]+$`)
	headerValue = pattern.Of(`^([!-~]+|"[\t -~]*")$`)
	cookieValue = pattern.Of(`^[!#-:<-\[\]-~]+$`)
	subjectPart = pattern.Of(`^[a-zA-Z][A-Za-z0-9-]*$`)
	anyWay      = []string{"regex", "startsWith", "endsWith", "contains", "equalTo"}
)

// compareWays has the compareTypes that each type of rule allows.
var compareWays = map[string][]string{
	"hostName": anyWay, "path": anyWay, "header": anyWay, "cookie": anyWay, "sslDNField": anyWay,
	"fileType": {"regex", "equalTo"}, "sslConnHasCert": {"equalTo"}, "sslVerifyResult": {"equalTo"},
}

func (l *L7Rule) validate(of *Port, field string, r *kind.Report) {
	if strings.HasPrefix(l.Type, "ssl") && of.Protocol != "terminatedHTTPS" {
		r.Problem(field+".type", "is about TLS, which the load balancer does not terminate", "use another type, or protocol terminatedHTTPS for the port")
	}
	if able := compareWays[l.Type]; !slices.Contains(able, l.CompareType) {
		r.Problem(field+".compareType", fmt.Sprintf("cannot be %s for a rule of type %s", l.CompareType, l.Type), "use one of "+list(able))
	}
	l.validateKey(field+".key", r)
	if what, fix := l.valueProblem(); what != "" {
		r.Problem(field+".value", what, fix)
	}
}

func (l *L7Rule) validateKey(field string, r *kind.Report) {
	named := slices.Contains([]string{"header", "cookie", "sslDNField"}, l.Type)
	form := headerName
	if l.Type == "sslDNField" {
		form = subjectPart
	}
	switch {
	case named && l.Key == nil:
		r.Problem(field, "is missing", "name what the rule is about: the header, the cookie or the field of the subject")
	case !named && l.Key != nil:
		r.Problem(field, "means nothing to a rule of type "+l.Type, "remove it")
	case named && !form.MatchString(*l.Key):
		r.Problem(field, fmt.Sprintf("%q does not match %s", *l.Key, form), "correct it")
	}
}

func (l *L7Rule) valueProblem() (what, fix string) {
	number, err := strconv.Atoi(l.Value)
	switch {
	case l.Type == "sslConnHasCert" && !strings.EqualFold(l.Value, "true"):
		return "must be True for a rule of type sslConnHasCert", `write "True", and invert: true for the opposite`
	case l.Type == "sslVerifyResult" && (err != nil || number < 0):
		return "must be a number for a rule of type sslVerifyResult", `write the result of OpenSSL's verification, such as "0" for good`
	case l.CompareType == "regex":
		if _, err := regexp.Compile(l.Value); err != nil && !strings.Contains(l.Value, "(?") && !strings.Contains(l.Value, `\`) {
			return "is no regular expression: " + err.Error(), "correct it"
		}
	case l.Type == "cookie" && !cookieValue.MatchString(l.Value):
		return fmt.Sprintf("%q cannot be in a cookie", l.Value), "remove blanks, quotes, backslashes and semicolons, or compare by regex"
	case !strings.HasPrefix(l.Type, "ssl") && !headerValue.MatchString(l.Value):
		return fmt.Sprintf("%q cannot be in a header", l.Value), "remove blanks and what is no ASCII, put it in double quotes, or compare by regex"
	}
	return "", ""
}
