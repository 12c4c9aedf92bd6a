package definition

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

var (
	undefinedField = pattern.Of(`undefined field '([^']*)'`)
	variableName   = pattern.Of(`(?:^|[^A-Za-z0-9_.'"])([A-Za-z][A-Za-z0-9_]*)(\.metadata\.name(?:space)?\b)?`)
)

// maxExplained is the maximum number of wrong expressions of a definition that get a suggestion. No more problems of
// one object are shown.
const maxExplained = 100

// explain returns the mistake in an expression, and how to correct it.
func (c *compiler) explain(source, err string) (what, fix string) {
	what = fmt.Sprintf("has the expression %s: %s", quote(source), clip(err))
	if c.explained++; c.explained > maxExplained {
		return what, ""
	}
	if id := c.observes(source, err); id != "" && regexp.MustCompile(`\b`+regexp.QuoteMeta(id)+`\.spec\b`).MatchString(source) {
		return fmt.Sprintf("has the expression %s, which reads the spec of %s: a resource cannot read another resource's spec", quote(source), id),
			"repeat the value or the expression over schema.spec here. From another resource, a template can only read " + id + ".metadata.name, and only if that resource has no forEach"
	} else if id != "" {
		return fmt.Sprintf("has the expression %s, which reads the state of %s in the cloud", quote(source), id),
			"templates, includeWhen and forEach can read schema.metadata, schema.spec and the variables of forEach, so that a plan can show everything; templates can also read " + id + ".metadata.name, if that resource has no forEach. Only status and readyWhen can read the state in the cloud"
	}
	if m := undefinedField.FindStringSubmatch(err); m != nil {
		var names []string
		for _, s := range structsOf(c.made.schema) {
			for _, f := range s.fields {
				names = append(names, f.name)
			}
		}
		slices.Sort(names)
		if near := nearest.Name(m[1], names); near != "" {
			return what, "did you mean " + near + "?"
		}
		return what, "declare it in " + specPath
	}
	return what, ""
}

// observes returns the first resource of which a wrong expression uses more than it can see. If expressions see
// nothing of the cloud, an expression can use only the name of a resource, and in some places not even the name. It
// returns "" if there is no such resource.
func (c *compiler) observes(source, err string) string {
	if !c.pure {
		return ""
	}
	for _, m := range variableName.Regexp().FindAllStringSubmatch(source, -1) {
		if id, named := m[1], m[2] != ""; slices.Contains(c.ids, id) && (!named || strings.Contains(err, "reference to '"+id+"'")) {
			return id
		}
	}
	return ""
}
