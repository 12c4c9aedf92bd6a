package machine

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// maxUserData is how many bytes of user data Nova accepts: 65,535 characters of base64.
// (nova/api/openstack/compute/schemas/user_data.py)
const maxUserData = 65535 / 4 * 3

// Interpreter is the line that is put before a script without a format line.
const Interpreter = "#!/bin/sh\n"

// Interpreted is a script with [Interpreter] before it, unless its first line gives its format.
func Interpreted(script string) string {
	for _, start := range starts {
		if strings.HasPrefix(script, start) {
			return script
		}
	}
	return Interpreter + script
}

// starts are the first characters of user data that gives its own format. (cloud-init: user data
// formats; ignition is JSON, gzip is 1f 8b)
var starts = []string{"#!", "#cloud-", "#include", "#part-handler", "## template:", "Content-Type:", "MIME-Version:", "{", "<powershell>", "\x1f\x8b"}

// UserData checks the sources of user data, or of a script that becomes a part of it.
type UserData struct {
	// Script says that [Interpreter] may be put before it.
	Script bool
}

// Source reports a field that does not have exactly one source.
func (UserData) Source(field, fix string, r *kind.Report, given ...bool) {
	sources := 0
	for _, g := range given {
		if g {
			sources++
		}
	}
	if sources != 1 {
		r.Problem(field, fmt.Sprintf("has %d sources", sources), fix)
	}
}

// Text reports a text that is longer than Nova accepts.
func (u UserData) Text(field, text string, r *kind.Report) (ok bool) {
	most := maxUserData
	if u.Script {
		most -= len(Interpreter)
	}
	if len(text) > most {
		r.Problem(field, fmt.Sprintf("gives %d bytes of user data, more than the %d that Nova accepts", len(text), most), "shorten the script, or let it download the rest")
		return false
	}
	return true
}

// Entry checks the first of the entries keys that an object of the repository has. It reports an
// entry that is too long, and an object that has none of the entries. The object must exist.
func (u UserData) Entry(field, kind, name string, e *kind.Expansion, keys ...string) (ok bool) {
	for _, key := range keys {
		if text, ok := e.Data(kind, name, key); ok {
			return u.Text(field, text, &e.Report)
		}
	}
	e.Lacks(field, kind, name, fmt.Sprintf("%s/%s has no data.%s", kind, name, keys[0]), "add it there, or name another key of the data")
	return false
}
