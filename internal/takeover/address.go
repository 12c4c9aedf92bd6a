package takeover

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// address is the resource's as Terraform's commands take it, without the key of an instance.
func (r *resource) address() (string, error) {
	for _, name := range []string{r.Type, r.Name} {
		if !identifier(name) {
			return "", errors.New("its type or name is no identifier of Terraform's")
		}
	}
	modules, err := r.modules()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, m := range modules {
		b.WriteString("module." + m.name + m.step + ".")
	}
	return b.String() + r.Type + "." + r.Name, nil
}

// path is what the name of a manifest consists of, without the key of an instance.
func (r *resource) path() (path []string) {
	modules, _ := r.modules() // it was read before
	for _, m := range modules {
		path = append(path, m.name)
		if m.key != "" {
			path = append(path, m.key)
		}
	}
	return append(path, r.Name)
}

// module is one of module.NAME[KEY].module.NAME….
type module struct{ name, step, key string }

// modules takes the path apart and writes it again: no text of the state's own gets into an
// address.
func (r *resource) modules() (list []module, err error) {
	errPath := errors.New("its module is no address of Terraform's")
	if len(r.Module) > 8*longestID {
		return nil, errPath
	}
	for rest := r.Module; rest != ""; {
		var ok bool
		if rest, ok = strings.CutPrefix(rest, "module."); !ok {
			return nil, errPath
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		m := module{name: rest[:end]}
		if rest = rest[end:]; strings.HasPrefix(rest, "[") {
			d := json.NewDecoder(strings.NewReader(rest[1:])) // HCL's strings are JSON's, but for templates
			var encoded json.RawMessage
			if err := d.Decode(&encoded); err != nil {
				return nil, errPath
			}
			if m.step, m.key, err = key([]byte(untemplated(string(encoded)))); err != nil {
				return nil, errPath
			}
			if rest, ok = strings.CutPrefix(rest[1+d.InputOffset():], "]"); !ok {
				return nil, errPath
			}
		}
		if list = append(list, m); !identifier(m.name) || len(list) > 50 {
			return nil, errPath
		}
		if rest != "" {
			if rest, ok = strings.CutPrefix(rest, "."); !ok || rest == "" {
				return nil, errPath
			}
		}
	}
	return list, nil
}

// untemplated takes off what keeps HCL from reading templates in a string.
func untemplated(s string) string {
	return strings.NewReplacer("$${", "${", "%%{", "%{").Replace(s)
}

// key is the key of an instance: the step of an address, and the text in a name. Both are "" where
// there is none.
func key(encoded json.RawMessage) (step, name string, err error) {
	if len(encoded) == 0 || string(encoded) == "null" {
		return "", "", nil
	}
	var s string
	if encoded[0] == '"' && json.Unmarshal(encoded, &s) == nil && len(s) <= longestID {
		return "[" + hcl(s) + "]", s, nil
	}
	n, err := strconv.ParseUint(string(encoded), 10, 31)
	if err != nil {
		return "", "", errors.New("it is neither a number nor a text of at most " + strconv.Itoa(longestID) + " bytes")
	}
	s = strconv.FormatUint(n, 10)
	return "[" + s + "]", s, nil
}

// identifier reports whether HCL takes a text for a name.
func identifier(s string) bool {
	for i, r := range s {
		first := unicode.IsLetter(r) || r == '_'
		if !first && (i == 0 || !unicode.IsDigit(r) && r != '-') {
			return false
		}
	}
	return s != "" && len(s) <= longestID
}

// hcl quotes a text as HCL reads it. Nothing in it ends a line or cannot be seen, and what it is
// printed to takes nothing of it for a command.
func hcl(s string) string {
	if quoted := quote(s, plain); printable.Line(quoted) == quoted {
		return quoted
	}
	return quote(s, func(r rune) bool { return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) })
}

func plain(r rune) bool {
	return r == ' ' || unicode.IsPrint(r) && printable.Line(string(r)) == string(r)
}

func quote(s string, keep func(rune) bool) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		template := (r == '$' || r == '%') && strings.HasPrefix(s[i+1:], "{")
		switch at := strings.IndexRune("\n\r\t\"\\", r); {
		case at >= 0:
			b.WriteString(`\` + `nrt"\`[at:at+1])
		case !keep(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case !keep(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		case template:
			b.WriteString(string(r) + string(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Removals are the commands that take resources out of Terraform's state: one for each resource of
// which all instances are moved, else one for each instance. moved has the addresses.
func Removals(list []Declared, moved map[string]bool) (lines []string) {
	stays := map[string]bool{}   // resources of which not all instances are moved
	remains := map[string]bool{} // addresses
	for _, d := range list {
		if !moved[d.Address] || d.Stays != "" {
			stays[d.resource] = true
		}
		if d.Stays != "" {
			remains[d.Address] = true // such as a deposed object beside the one that is moved
		}
	}
	for _, d := range list {
		address := d.resource
		if stays[address] {
			address = d.Address
		}
		if moved[d.Address] && !remains[d.Address] {
			lines = append(lines, "terraform state rm "+printable.Word(address))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
