// Package cause describes the reasons for the steps of a plan. It contains their codes, which programs compare, and their texts, which
// people read.
//
// It does not use plans, kinds or the cloud.
package cause

import (
	"fmt"
	"slices"
	"strings"
)

// Code names one reason.
type Code string

// Cause is a reason, with the arguments of its text. The zero Cause means no reason.
type Cause struct {
	Code Code
	// Args are keys, IDs, names, durations and further causes, in the order of the text. A text from outside the agent is a string.
	Args []any
}

// Of returns the cause with a code and the arguments of its text, in the order of the text in words.go.
func Of(code Code, args ...any) Cause { return Cause{code, args} }

// IsZero reports whether there is no cause.
func (c Cause) IsZero() bool { return c.Code == "" }

// String returns the cause in words. It does not remove secrets from them.
func (c Cause) String() string {
	if c.IsZero() {
		return ""
	}
	return fmt.Sprintf(words[c.Code], c.Args...)
}

// Has reports whether the cause, or a cause among its arguments, has a code.
func (c Cause) Has(code Code) bool {
	return c.holds(func(c Cause) bool { return c.Code == code })
}

// holds reports whether is(c) is true for the cause c, or for a cause among its arguments.
func (c Cause) holds(is func(Cause) bool) bool {
	return is(c) || slices.ContainsFunc(c.Args, func(arg any) bool {
		switch arg := arg.(type) {
		case Cause:
			return arg.holds(is)
		case List:
			return slices.ContainsFunc(arg, func(c Cause) bool { return c.holds(is) })
		}
		return false
	})
}

// Names reports whether a text from outside the agent is among the arguments.
func (c Cause) Names(text string) bool {
	return c.holds(func(c Cause) bool { return slices.Contains(c.Args, any(text)) })
}

// Map returns the cause with f applied to the texts from outside the agent. The cause's own text stays.
func (c Cause) Map(f func(string) string) Cause {
	if len(c.Args) == 0 {
		return c
	}
	args := slices.Clone(c.Args)
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			args[i] = f(arg)
		case Cause:
			args[i] = arg.Map(f)
		case List:
			args[i] = arg.Map(f)
		case fmt.Stringer:
			if text := arg.String(); f(text) != text {
				args[i] = f(text)
			}
		}
	}
	return Cause{c.Code, args}
}

// First returns the first cause that is not zero, or the zero Cause if all are zero.
func First(list ...Cause) Cause {
	for _, c := range list {
		if !c.IsZero() {
			return c
		}
	}
	return Cause{}
}

// List is a list of causes of one step. Each reason comes before its consequence.
type List []Cause

// Has reports whether [Cause.Has] is true for any of the causes.
func (l List) Has(code Code) bool {
	return slices.ContainsFunc(l, func(c Cause) bool { return c.Has(code) })
}

// Names reports whether [Cause.Names] is true for any of the causes.
func (l List) Names(text string) bool {
	return slices.ContainsFunc(l, func(c Cause) bool { return c.Names(text) })
}

// Is reports whether the list has exactly one cause, and this cause has that code.
func (l List) Is(code Code) bool { return len(l) == 1 && l[0].Code == code }

// And returns the list with further causes at the end. Causes that are the zero value are not added.
func (l List) And(more ...Cause) List {
	out := slices.Clip(slices.Clone(l))
	for _, c := range more {
		if !c.IsZero() {
			out = append(out, c)
		}
	}
	return out
}

// Map applies [Cause.Map] to all causes.
func (l List) Map(f func(string) string) List {
	if len(l) == 0 {
		return nil
	}
	out := make(List, len(l))
	for i, c := range l {
		out[i] = c.Map(f)
	}
	return out
}

// String returns all causes in words.
func (l List) String() string {
	var said []string
	for _, c := range l {
		if text := c.String(); text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, "; ")
}

// Or is a list of codes. At least one of them applies. Its text is "delete, replace or wipe".
type Or []Code

// String returns all codes in words.
func (o Or) String() string {
	said := make([]string, len(o))
	for i, code := range o {
		said[i] = words[code]
	}
	last := len(said) - 1
	if last < 1 {
		return strings.Join(said, "")
	}
	return strings.Join(said[:last], ", ") + " or " + said[last]
}

// Texts returns the text of each cause.
func (l List) Texts() (texts []string) {
	for _, c := range l {
		texts = append(texts, c.String())
	}
	return texts
}

// Instead replaces a code at the beginning of the list. That is the code of the first cause, or the code of the first argument of that
// cause.
func (l List) Instead(code, other Code) List {
	if len(l) == 0 {
		return l
	}
	out := slices.Clone(l)
	if first := &out[0]; first.Code == code {
		first.Code = other
	} else if len(first.Args) > 0 {
		if on, ok := first.Args[0].(Cause); ok && on.Code == code {
			first.Args = slices.Clone(first.Args)
			first.Args[0] = Cause{other, on.Args}
		}
	}
	return out
}
