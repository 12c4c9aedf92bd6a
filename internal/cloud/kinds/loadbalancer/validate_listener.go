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
			r.Problem(at, "cannot be inserted while clients use "+p.Protocol, "remove it, or use protocol http or terminatedHTTPS")
		case strings.HasPrefix(name, "X-SSL-") && p.Protocol != "terminatedHTTPS":
			r.Problem(at, "needs TLS, which this listener does not terminate", "remove it, or use protocol terminatedHTTPS")
		}
	}
	switch terminated := p.Protocol == "terminatedHTTPS"; {
	case !terminated && p.TLS != nil:
		r.Problem(field+".tls", "has no effect while clients use "+p.Protocol, "remove it, or use protocol terminatedHTTPS")
	case terminated && (p.TLS == nil || p.TLS.BarbicanRef == nil && len(p.TLS.SNIBarbicanRefs) == 0):
		r.Problem(field+".tls.barbicanRef", "is missing", "name the certificate in Barbican, or use protocol https, with which the machines terminate TLS")
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
		r.Problem(field+".clientCRLBarbicanRef", "has no effect without clientCABarbicanRef", "name the authority, or remove the list")
	}
	for _, list := range []struct {
		name  string
		items []string
	}{{"versions", t.Versions}, {"alpnProtocols", t.ALPNProtocols}} {
		if list.items != nil && len(list.items) == 0 {
			r.Problem(field+"."+list.name, "is empty", "name at least one, or remove the field to use the cloud's default")
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
			r.Problem(at+".name", fmt.Sprintf("%s is already the name of %s", policy.name(i), policyField(field, other)), "give each policy its own name; a policy without a name is called by its number")
		}
		names[policy.name(i)] = i
		if n := policy.Position; n != nil {
			if other, twice := positions[*n]; twice {
				r.Problem(at+".position", fmt.Sprintf("%d is already the position of %s", *n, policyField(field, other)), "give each policy its own position, or remove all positions to use the order of the list")
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
			r.Problem(field+"."+target.name, "is missing", "give it, because the action is "+l.Action)
		} else if !wanted && target.given {
			r.Problem(field+"."+target.name, "has no effect with action "+l.Action, "remove it, or use action "+target.action)
		}
	}
	if l.RedirectHTTPCode != nil && l.RedirectURL == nil && l.RedirectPrefix == nil {
		r.Problem(field+".redirectHTTPCode", "has no effect with action "+l.Action, "remove it")
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
		r.Problem(field+".type", "needs TLS, which this listener does not terminate", "use another type, or protocol terminatedHTTPS for the port")
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
		r.Problem(field, "is missing", "give the name of the header, of the cookie or of the field of the subject")
	case !named && l.Key != nil:
		r.Problem(field, "has no effect for a rule of type "+l.Type, "remove it")
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
		return "must be a number for a rule of type sslVerifyResult", `write a result of OpenSSL's verification, such as "0" for success`
	case l.CompareType == "regex":
		if _, err := regexp.Compile(l.Value); err != nil && !strings.Contains(l.Value, "(?") && !strings.Contains(l.Value, `\`) {
			return "is not a regular expression: " + err.Error(), "correct it"
		}
	case l.Type == "cookie" && !cookieValue.MatchString(l.Value):
		return fmt.Sprintf("%q cannot be in a cookie", l.Value), "remove blanks, quotes, backslashes and semicolons, or compare by regex"
	case !strings.HasPrefix(l.Type, "ssl") && !headerValue.MatchString(l.Value):
		return fmt.Sprintf("%q cannot be in a header", l.Value), "remove blanks and characters outside of ASCII, put the value in double quotes, or compare by regex"
	}
	return "", ""
}
