package project

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// validate rejects tags that Keystone does not accept.
// (keystone/resource/schema.py: _project_tag_name_properties)
func validate(s *Spec, r *kind.Report) {
	for i, tag := range s.Tags {
		if tag == "" || utf8.RuneCountInString(tag) > 255 || strings.ContainsAny(tag, ",/") {
			r.Problem(fmt.Sprintf("spec.resource.tags[%d]", i), "is no tag", "give 1 to 255 characters without commas and slashes")
		}
	}
}
