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

// address returns the resource's address in Terraform's commands, without the key of an instance.
func (r *resource) address() (string, error) {
	for _, name := range []string{r.Type, r.Name} {
		if !identifier(name) {
			return "", errors.New("its type or name is not a valid identifier of Terraform")
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

// path returns the parts of a manifest's name, without the key of an instance.
func (r *resource) path() (path []string) {
	modules, _ := r.modules() // read successfully before
	for _, m := range modules {
		path = append(path, m.name)
		if m.key != "" {
			path = append(path, m.key)
		}
	}
	return append(path, r.Name)
}

// module is one module in a path module.NAME[KEY].module.NAME….
type module struct{ name, step, key string }

// modules parses the path and writes it again. So an address contains no unchecked text of the state.
func (r *resource) modules() (list []module, err error) {
	errPath := errors.New("its module is not a valid address of Terraform")
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
			d := json.NewDecoder(strings.NewReader(rest[1:])) // strings of HCL are strings of JSON, except for templates
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

// untemplated removes the escapes that prevent HCL from interpreting templates in a string.
func untemplated(s string) string {
	return strings.NewReplacer("$${", "${", "%%{", "%{").Replace(s)
}

// key parses the key of an instance. step is the form for an address, and name the form for a name. Both are ""
// if there is no key.
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

// identifier reports whether a text is an identifier of HCL.
func identifier(s string) bool {
	for i, r := range s {
		first := unicode.IsLetter(r) || r == '_'
		if !first && (i == 0 || !unicode.IsDigit(r) && r != '-') {
			return false
		}
	}
	return s != "" && len(s) <= longestID
}

// hcl quotes a text for HCL. The result contains no line end and no invisible character, so a terminal cannot
// interpret a part of it as a command.
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

// Removals returns the commands that remove resources from Terraform's state. If all instances of a resource are
// moved, there is one command for the resource. Otherwise, there is one for each moved instance. moved contains
// the addresses.
func Removals(list []Declared, moved map[string]bool) (lines []string) {
	stays := map[string]bool{}   // resources of which some instances are not moved
	remains := map[string]bool{} // addresses
	for _, d := range list {
		if !moved[d.Address] || d.Stays != "" {
			stays[d.resource] = true
		}
		if d.Stays != "" {
			remains[d.Address] = true // such as a deposed object with the same address as a moved one
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
