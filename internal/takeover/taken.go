package takeover

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// Asked contains the files with the data of other tools. - means standard input, and "" means no file.
type Asked struct{ Terraform, Heat, Removals string }

// Taken is the list of objects that another tool manages. It is nil if there is no such file.
type Taken struct {
	tool, file string
	list       []Declared
	others     int // resources of other providers
	removals   string
}

// Read reads the list of objects that another tool manages. It returns nil if there is no such file.
func (a Asked) Read(stdin io.Reader) (*Taken, error) {
	switch {
	case a.Terraform != "" && a.Heat != "":
		return nil, errors.New("--heat-resources: give either this or --terraform-state, not both")
	case a.Removals != "" && a.Terraform == "":
		return nil, errors.New("--state-rm: needs --terraform-state")
	case a.Terraform == "" && a.Heat == "":
		return nil, nil
	}
	if _, err := os.Lstat(a.Removals); a.Removals != "" && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--state-rm: %s exists already, so nothing is written; give another name", a.Removals)
	}
	t, flag := &Taken{tool: "Terraform", file: a.Terraform, removals: a.Removals}, "--terraform-state"
	if a.Heat != "" {
		t.tool, t.file, flag = "Heat", a.Heat, "--heat-resources"
	}
	text, err := namedOrPiped(t.file, stdin)
	switch {
	case err != nil:
	case a.Heat != "":
		t.list, err = Heat(text)
	default:
		t.list, t.others, err = Terraform(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", flag, t.file, err)
	}
	return t, nil
}

func namedOrPiped(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(io.LimitReader(stdin, Most+1)) // one byte more is refused
	}
	return localfile.ReadNamed(file, Most)
}

// Which returns the part of a message that says which objects are missing.
func (t *Taken) Which() string {
	if t == nil {
		return ""
	}
	return "that " + t.tool + " names and "
}

// Chosen returns the objects to be exported, or nil for all objects.
func (t *Taken) Chosen() []export.Chosen {
	if t == nil {
		return nil
	}
	list := make([]export.Chosen, 0, len(t.list))
	for _, d := range t.list {
		if d.Stays == "" && !d.Part {
			list = append(list, export.Chosen{Kind: d.Kind, Name: d.Name, ID: d.ID, Uses: d.Uses})
		}
	}
	return list
}

// Report writes which resources stay with the other tool, and which ones must be removed from it.
func (t *Taken) Report(w io.Writer, r export.Result) error {
	if t == nil {
		return nil
	}
	moved := map[string]bool{}
	var stays, forget []string
	adopted, adoptsAny := adoptions(r), map[string]bool{}
	for _, o := range r.Objects {
		adoptsAny[o.Key.Kind] = adoptsAny[o.Key.Kind] || o.Adopted
	}
	for _, d := range t.list {
		switch {
		case d.Stays != "":
			stays = append(stays, d.Address+": "+d.Stays)
		case t.tool == "Heat" && d.Part:
			if adoptsAny[d.Kind] { // the list does not say to which object the part belongs
				forget = append(forget, d.Address)
			}
		case adopted(d):
			moved[d.Address] = true
			forget = append(forget, d.Address)
		default:
			stays = append(stays, d.Address+": its "+d.Kind+" is not adopted, for the reason above")
		}
	}
	lines(w, "These stay with "+t.tool+":", stays)
	if t.others > 0 {
		fmt.Fprintf(w, "Resources of other providers, which are ignored: %d.\n", t.others)
	}
	if t.tool == "Heat" {
		lines(w, "When a stack has adopted these, give them deletion_policy: retain in Heat's template, and update its stack before you delete it:", forget)
		return nil
	}
	commands := Removals(t.list, moved)
	if t.removals != "" {
		return writeCommands(t.removals, commands)
	}
	lines(w, "When a stack has adopted these, remove them from Terraform's configuration, and from its state with:", commands)
	return nil
}

func lines(w io.Writer, title string, list []string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	for _, line := range list {
		fmt.Fprintln(w, "  "+printable.Line(line))
	}
}

func writeCommands(file string, commands []string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("--state-rm: %w", err)
	}
	_, err = io.WriteString(f, strings.Join(append(commands, ""), "\n"))
	return errors.Join(err, f.Close())
}

// adoptions returns a function that reports whether a resource's object, or the object to which it
// belongs, is adopted.
func adoptions(r export.Result) func(Declared) bool {
	type object struct{ kind, id string }
	byID, byKind := map[object]bool{}, map[string][]export.Object{}
	for _, o := range r.Objects {
		if o.Adopted {
			byID[object{o.Key.Kind, o.ID}] = true
			byKind[o.Key.Kind] = append(byKind[o.Key.Kind], o)
		}
	}
	return func(d Declared) bool {
		isOf := func(o export.Object) bool { return d.ID != "" && strings.HasSuffix(o.ID, "/"+d.ID) }
		return byID[object{d.Kind, d.ID}] || slices.ContainsFunc(byKind[d.Kind], isOf) || len(d.Uses) > 0 && slices.ContainsFunc(byKind[d.Kind], func(o export.Object) bool {
			return !slices.ContainsFunc(d.Uses, func(id string) bool { return !slices.Contains(o.Uses, id) })
		})
	}
}
