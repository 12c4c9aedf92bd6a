package swiftcontainer

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

const at = "spec.resource."

var (
	metadataName  = pattern.Of(`^[a-z0-9]([a-z0-9.-]{0,98}[a-z0-9])?$`)
	metadataValue = pattern.Of(`^[!-~]([ -~]*[!-~])?$`)
	// oneWord matches an element of a list that Swift splits at spaces. member matches an element
	// of a list that Swift splits at commas.
	oneWord = pattern.Of(`^[!-~]{1,255}$`)
	member  = pattern.Of(`^[!-+\--~]([ -+\--~]{0,253}[!-+\--~])?$`)
)

// These are Swift's limits in bytes. (swift/common/constraints.py)
const (
	longestName  = 256
	longestValue = 256
	longestACL   = 8000 // Swift allows 8192 bytes in a line
	maxMetadata  = 3400 // Swift allows 4096 bytes, which include the mark, the quotas and the names of headers
)

func validate(s *Spec, r *kind.Report) {
	if len(table.Or(s.Name, "")) > longestName {
		r.Problem(at+"name", fmt.Sprintf("is longer than %d bytes", longestName), "use a shorter name; a letter outside of ASCII needs two to four bytes")
	}
	for i, who := range s.ReadACL {
		if strings.HasPrefix(who, ".") && who != ".rlistings" && !referrer(who) || !member.MatchString(who) {
			r.Problem(fmt.Sprintf("%sreadACL[%d]", at, i), "is not an access rule of Swift", "use <project ID>:<user ID>, .r:*, .r:<host>, .r:-<host> or .rlistings")
		}
	}
	for i, who := range s.WriteACL {
		if strings.HasPrefix(who, ".") || !member.MatchString(who) {
			r.Problem(fmt.Sprintf("%swriteACL[%d]", at, i), "is not an access rule of Swift", "use <project ID>:<user ID>, either of which may be *")
		}
	}
	checkLength(r, "readACL", s.ReadACL, longestACL)
	checkLength(r, "writeACL", s.WriteACL, longestACL)
	words(r, "corsOrigins", s.Origins)
	words(r, "corsExposedHeaders", s.Exposed)
	checkMetadata(s, r)
}

// referrer reports whether Swift reads this element of an ACL as a host of a referring website.
// (swift/common/middleware/acl.py: clean_acl)
func referrer(who string) bool {
	host, ok := strings.CutPrefix(who, ".r:")
	host = strings.TrimPrefix(host, "-")
	return ok && (host == "*" || host != "" && host != "." && host[0] != '*' && host[0] != ' ')
}

// checkLength reports a list that is too long for its header.
func checkLength(r *kind.Report, field string, list []string, most int) {
	if size := len(strings.Join(list, " ")); size > most {
		r.Problem(at+field, fmt.Sprintf("has %d bytes, more than the %d that Swift stores", size, most), "leave some out")
	}
}

func words(r *kind.Report, field string, list []string) {
	checkLength(r, field, list, longestValue)
	for i, word := range list {
		if !oneWord.MatchString(word) {
			r.Problem(fmt.Sprintf("%s%s[%d]", at, field, i), "is not one word", "give each its own entry")
		}
	}
}

func checkMetadata(s *Spec, r *kind.Report) {
	names, size := make([]string, len(s.Metadata)), len(strings.Join(s.Origins, " "))+len(strings.Join(s.Exposed, " "))
	for i, entry := range s.Metadata {
		names[i] = entry.Name
		size += len(entry.Name) + len(entry.Value)
		field := fmt.Sprintf("%smetadata[%d].", at, i)
		switch {
		case ownertext.ReservedKey(entry.Name): // see CheckMetadata
		case !metadataName.MatchString(entry.Name):
			r.Problem(field+"name", "is not a possible name of a header", "use small letters, digits, hyphens and dots")
		case strings.HasPrefix(entry.Name, secretPrefix):
			r.Problem(field+"name", "is a secret", "set it with another tool; the agent does not change it")
		case reservedName(entry.Name):
			r.Problem(field+"name", "is a setting of the container", "use its own field, such as quotaBytes or corsOrigins")
		}
		if !metadataValue.MatchString(entry.Value) {
			r.Problem(field+"value", "is not possible in a header", "use printable ASCII characters, without spaces at the ends")
		}
	}
	if size > maxMetadata {
		r.Problem(at+"metadata", fmt.Sprintf("has %d bytes with corsOrigins and corsExposedHeaders, more than the %d that Swift can store besides the owner mark", size, maxMetadata), "leave some out")
	}
	mark.CheckMetadata(r, "name", names)
}
