package etcdmember

import (
	"fmt"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Which versions of etcd can follow each other (https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/): a member never goes back by a
// minor version, all members are at most one behind, and 3.6 follows 3.5.26 or newer: what older ones have stored of promotions and
// removals can be wrong for it, and members come back that were removed (https://etcd.io/blog/2025/zombie_members_upgrade/).

// release is a version of etcd.
type release struct{ minor, patch int }

var versionForm = pattern.Of(`^([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})$`)

// releaseOf reads a version; ok is false for what is none.
func releaseOf(text string) (r release, ok bool) {
	parts := versionForm.FindStringSubmatch(text)
	if parts == nil {
		return release{}, false
	}
	n := func(i int) int { v, _ := strconv.Atoi(parts[i]); return v }
	return release{n(1)*1000 + n(2), n(3)}, true
}

// stays says why a machine keeps the version of etcd that it has, by the versions of all members; "" when it need not. Of one that
// does not answer the others say what may follow, as far as they do.
func (m *machine) stays(machines []*machine, knows *machine) string {
	have, known := releaseOf(m.status.Version)
	known = known && m.answers
	want, given := releaseOf(m.Spec.Version)
	switch {
	case !m.Wanted, !given, known && have.minor == want.minor:
		return ""
	case known && have.minor > want.minor:
		return fmt.Sprintf("%s runs etcd %s, which never goes back to %s", m.Key.Name, m.status.Version, m.Spec.Version)
	}
	newer, seen := 0, 0
	for _, o := range machines {
		if !knows.lists(o.Address) {
			continue
		}
		its, answered := releaseOf(o.status.Version)
		switch answered = answered && o.answers; {
		case !answered && known:
			return fmt.Sprintf("etcd %s follows when the versions of all members are known, and %s does not answer", m.Spec.Version, o.Key.Name)
		case !answered:
			continue
		case want.minor > its.minor+1:
			return fmt.Sprintf("etcd goes up one minor version at a time, and %s runs %s: %s comes later", o.Key.Name, o.status.Version, m.Spec.Version)
		case its.minor == 3005 && its.patch < 26 && want.minor > its.minor:
			return fmt.Sprintf("etcd %s follows 3.5.26 or newer, and %s runs %s", m.Spec.Version, o.Key.Name, o.status.Version)
		case its.minor > want.minor:
			newer++
		}
		seen++
	}
	if newer > 0 && newer == seen {
		return fmt.Sprintf("the others run a newer etcd, which never goes back to %s", m.Spec.Version)
	}
	return ""
}
