package machine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Facts are the values for a template of user data: about the machine itself, its group, and all
// members of the group in their order.
type Facts struct {
	Fact
	Group    string
	Replicas int
	Peers    []Fact
	// Secrets and Certificate are results of [Encoded]; "" if there is none.
	Secrets, Certificate string
}

// Fact has the values about one machine.
type Fact struct {
	Name    string
	Ordinal int
	Address string
}

// FactsTemplate is user data that is completed with [Facts]:
//
//	{{name}} {{ordinal}} {{address}}  values of the machine; within peers, values of that peer
//	{{group}} {{replicas}}            values of the machine's group
//	{{secrets}} {{certificate}}       further values, see [Given]
//	{{#peers}} … {{/peers}}           the text between them is written once for each member
//	{{#first}} … {{/first}}           within peers: the text is written only for the first peer
//	{{^first}} … {{/first}}           within peers: the text is written for all other peers; last is similar
//	{{! … }}                          a comment, which is left out
//	{{'{{'}}                          two braces
//
// It is a subset of Mustache. It is not read by a library, because anybody who opens a pull request can write
// templates. A template cannot call, include or count anything. A section of members cannot contain another
// such section, so the work is at most the length of the text times the number of members.
type FactsTemplate struct {
	nodes []factsNode
	// PeerAddresses says that the template contains an address of peers, OwnAddress that it contains the
	// machine's own.
	PeerAddresses, OwnAddress bool
}

// factsNode is a text, a name, or a section with its content.
type factsNode struct {
	text, name string
	sign       byte // of a section: # or ^
	body       []factsNode
}

var (
	factsNames    = []string{"name", "ordinal", "address", "group", "replicas", "secrets", "certificate"}
	factsSections = []string{"first", "last"}
)

// ParseFacts reads a template. Its errors name a line of the text and quote none of it, since it may be
// a secret.
func ParseFacts(text string) (*FactsTemplate, error) {
	if len(text) > maxUserData {
		return nil, errTooLong
	}
	p := factsParser{all: text, rest: text, out: new(FactsTemplate)}
	nodes, err := p.until("", false)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", 1+strings.Count(text[:p.tag], "\n"), err)
	}
	p.out.nodes = nodes
	return p.out, nil
}

var errTooLong = fmt.Errorf("is more than the %d bytes that Nova accepts", maxUserData)

type factsParser struct {
	all, rest string
	tag       int // where the last tag starts
	out       *FactsTemplate
}

// until reads the content of a section, or of the whole text if section is "".
func (p *factsParser) until(section string, peers bool) (list []factsNode, err error) {
	opened := p.tag
	for {
		text, rest, found := strings.Cut(p.rest, "{{")
		if !found {
			if p.rest = ""; section != "" {
				p.tag = opened
				return nil, errors.New("a section is not closed")
			}
			return append(list, factsNode{text: text}), nil
		}
		p.tag = len(p.all) - len(rest) - len("{{")
		var tag string
		if tag, p.rest, found = strings.Cut(rest, "}}"); !found {
			return nil, errors.New("{{ has no matching }}; write {{'{{'}} for two braces")
		}
		sign, name := byte(0), strings.TrimSpace(tag)
		if name != "" && strings.IndexByte("#^/!", name[0]) >= 0 {
			sign, name = name[0], strings.TrimSpace(name[1:])
			text = p.alone(text)
		}
		list = append(list, factsNode{text: text})
		switch {
		case sign == '!':
		case sign == '/' && name == section && section != "":
			return list, nil
		case sign == '/':
			return nil, errors.New("this tag ends a section that is not open, or in which another one is still open")
		case sign != 0:
			within := peers || name == "peers"
			if err := openable(sign, name, peers); err != nil {
				return nil, err
			}
			body, err := p.until(name, within)
			if err != nil {
				return nil, err
			}
			list = append(list, factsNode{name: name, sign: sign, body: body})
		case name == "'{{'":
			list = append(list, factsNode{text: "{{"})
		case !slices.Contains(factsNames, name):
			return nil, errors.New("an unknown name; the known names are " + strings.Join(factsNames, ", ") + ", and the section peers")
		default:
			p.out.PeerAddresses = p.out.PeerAddresses || name == "address" && peers
			p.out.OwnAddress = p.out.OwnAddress || name == "address" && !peers
			list = append(list, factsNode{name: name})
		}
	}
}

func openable(sign byte, name string, peers bool) error {
	switch {
	case name == "peers" && peers:
		return errors.New("the section peers contains a section peers")
	case name == "peers" && sign == '^':
		return errors.New("the section peers is never empty, because the machine itself is one of the peers; remove {{^peers}}")
	case name == "peers", peers && slices.Contains(factsSections, name):
		return nil
	}
	return errors.New("an unknown section; the known sections are peers, and first and last within peers")
}

// alone removes the whole line of a tag if nothing else is on that line. text is the text before the tag.
func (p *factsParser) alone(text string) string {
	const blank = " \t\r"
	before := strings.TrimRight(p.all[:p.tag], blank)
	after, rest, _ := strings.Cut(p.rest, "\n")
	if before != "" && !strings.HasSuffix(before, "\n") || strings.Trim(after, blank) != "" {
		return text
	}
	p.rest = rest
	return strings.TrimRight(text, blank)
}

// Render returns the template with the facts filled in. The result must not exceed Nova's limit.
func (t *FactsTemplate) Render(f Facts) (string, error) {
	w := factsWriter{facts: &f}
	if !w.write(t.nodes, &f.Fact, -1) {
		return "", errTooLong
	}
	return w.String(), nil
}

type factsWriter struct {
	strings.Builder
	facts *Facts
}

// write returns false as soon as the text is too long. The argument at is the number of the peer, below 0 outside of
// peers.
func (w *factsWriter) write(list []factsNode, of *Fact, at int) (fits bool) {
	for i := range list {
		n := &list[i]
		switch {
		case n.name == "peers":
			for j := range w.facts.Peers {
				if !w.write(n.body, &w.facts.Peers[j], j) {
					return false
				}
			}
		case n.sign != 0:
			is := n.name == "first" && at == 0 || n.name == "last" && at == len(w.facts.Peers)-1
			if is == (n.sign == '#') && !w.write(n.body, of, at) {
				return false
			}
		default:
			w.WriteString(n.text + w.value(n.name, of))
		}
		if w.Len() > maxUserData {
			return false
		}
	}
	return true
}

func (w *factsWriter) value(name string, of *Fact) string {
	switch name {
	case "name":
		return of.Name
	case "ordinal":
		return strconv.Itoa(of.Ordinal)
	case "address":
		return of.Address
	case "group":
		return w.facts.Group
	case "replicas":
		return strconv.Itoa(w.facts.Replicas)
	case "secrets":
		return w.facts.Secrets
	case "certificate":
		return w.facts.Certificate
	}
	return ""
}
