package machine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Group names the machines of the group that a template's machine belongs to.
type Group struct {
	Name    string `json:"name" rule:"required,min=1" doc:"Name of the group; its machines are called NAME-0 and so on."`
	Numbers string `json:"numbers" rule:"required,max=4096" doc:"Numbers of its machines, such as 0-2,4."`
}

// maxPeers is how many machines can have each other's addresses: each machine waits for the ports of all the others.
const maxPeers = 100

// Validate reports values that make no sense.
func (g *Group) Validate(field string, template bool, r *kind.Report) {
	if g == nil {
		return
	}
	if _, err := g.Members(); err != nil {
		r.Problem(field+".numbers", err.Error(), "write them like 0-2,4")
	}
	if !template {
		r.Problem(field, "is given, but the text is not a template", "add template: true, or remove it")
	}
}

// Members are the numbers of the machines, in ascending order.
func (g *Group) Members() (numbers []int, err error) {
	for part := range strings.SplitSeq(g.Numbers, ",") {
		from, to, several := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		last := first
		if err == nil && several {
			last, err = strconv.Atoi(to)
		}
		if err != nil || first < 0 || last < first || len(numbers) > 0 && first <= numbers[len(numbers)-1] {
			return nil, fmt.Errorf("has %q, which is not a number or range, or is not above the numbers before it", part)
		}
		if last-first >= maxMembers-len(numbers) {
			return nil, fmt.Errorf("are more than %d", maxMembers)
		}
		for n := first; n <= last; n++ {
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}

const maxMembers = 1000

// Numbers is the text of numbers in ascending order: 0-2,4.
func Numbers(list []int) string {
	var parts []string
	for rest := list; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n] == rest[0]+n {
			n++
		}
		part := strconv.Itoa(rest[0])
		if n > 1 {
			part += "-" + strconv.Itoa(rest[n-1])
		}
		parts, rest = append(parts, part), rest[n:]
	}
	return strings.Join(parts, ",")
}

// Peers are the names of the machines, in their order.
func (g *Group) Peers() (names []string) {
	numbers, _ := g.Members() // Validate reports the error
	for _, n := range numbers {
		names = append(names, fmt.Sprintf("%s-%d", g.Name, n))
	}
	return names
}

// Ordinal is the number at the end of a machine's name; 0 if it has none.
func Ordinal(name string) int {
	n, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// checkTemplate reports a text that is no valid template.
func checkTemplate(field, text string, r *kind.Report) (ok bool) {
	_, err := ParseFacts(text)
	if err != nil {
		r.Problem(field, "is no template: "+err.Error(), "correct it, or remove template")
	}
	return err == nil
}

// CheckPeers reports a template that contains the addresses of too many machines.
func (s *InitScript) CheckPeers(field string, machines int, e *kind.Expansion) (ok bool) {
	t, err := ParseFacts(s.text(e))
	if err != nil || !t.PeerAddresses || machines <= maxPeers {
		return err == nil
	}
	e.Problem(field, fmt.Sprintf("gives the addresses of %d machines to each machine", machines), fmt.Sprintf("use at most %d machines, or remove the addresses from the template: names are enough if there is DNS", maxPeers))
	return false
}

// WithPeers is the script for machines of a group with these numbers.
func (s *InitScript) WithPeers(group string, numbers []int) *InitScript {
	with := *s
	with.Group = &Group{Name: group, Numbers: Numbers(numbers)}
	return &with
}

// Complete fills in the template for a machine. If the template contains the address of a machine, that
// machine must have one.
func Complete(text string, f Facts) (string, error) {
	t, err := ParseFacts(text)
	if err != nil {
		return "", err
	}
	if t.OwnAddress && f.Address == "" || t.PeerAddresses && slices.ContainsFunc(f.Peers, func(p Fact) bool { return p.Address == "" }) {
		return "", errNoAddress
	}
	return t.Render(f)
}

var errNoAddress = errors.New("contains an address that is not known yet")
