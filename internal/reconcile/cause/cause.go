// Package cause is why a step of a plan is what it is: codes that programs compare, and the only words that people read for them.
//
// It knows no plan, no kind and no cloud.
package cause

import (
	"fmt"
	"slices"
	"strings"
)

// Code names one reason.
type Code string

// Cause is a reason, and what its words name. The zero Cause is none.
type Cause struct {
	Code Code
	// Args are keys, IDs, names, durations and further causes, in the order of the words. What others have written is a string.
	Args []any
}

// Of is the cause of a code.
func Of(code Code, args ...any) Cause { return Cause{code, args} }

// IsZero reports whether there is no cause.
func (c Cause) IsZero() bool { return c.Code == "" }

// String is the cause in words, without secrets taken out of them.
func (c Cause) String() string {
	if c.IsZero() {
		return ""
	}
	return fmt.Sprintf(words[c.Code], c.Args...)
}

// Has reports whether the cause is of a code, or rests on one that is.
func (c Cause) Has(code Code) bool {
	return c.holds(func(c Cause) bool { return c.Code == code })
}

// holds reports whether something is true of the cause, or of one that it rests on.
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

// Names reports whether the cause repeats a text that others have written.
func (c Cause) Names(text string) bool {
	return c.holds(func(c Cause) bool { return slices.Contains(c.Args, any(text)) })
}

// Map is the cause with what f makes of the texts in it; its own words stay.
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

// First is the first of some causes that is one; zero when none is.
func First(list ...Cause) Cause {
	for _, c := range list {
		if !c.IsZero() {
			return c
		}
	}
	return Cause{}
}

// List is what comes together, the reason before what follows from it.
type List []Cause

// Has is [Cause.Has] of any.
func (l List) Has(code Code) bool {
	return slices.ContainsFunc(l, func(c Cause) bool { return c.Has(code) })
}

// Names is [Cause.Names] of any.
func (l List) Names(text string) bool {
	return slices.ContainsFunc(l, func(c Cause) bool { return c.Names(text) })
}

// Is reports whether a code is all that the list says.
func (l List) Is(code Code) bool { return len(l) == 1 && l[0].Code == code }

// And is the list with further causes, which are left out where they are none.
func (l List) And(more ...Cause) List {
	out := slices.Clip(slices.Clone(l))
	for _, c := range more {
		if !c.IsZero() {
			out = append(out, c)
		}
	}
	return out
}

// Map is [Cause.Map] of all.
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

// String is all of it in words.
func (l List) String() string {
	var said []string
	for _, c := range l {
		if text := c.String(); text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, "; ")
}

// Or is the words of several codes, any of which holds: "delete, replace or wipe".
type Or []Code

// String is all of them in words.
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

// Texts are the causes in words, one by one.
func (l List) Texts() (texts []string) {
	for _, c := range l {
		texts = append(texts, c.String())
	}
	return texts
}

// Instead replaces a code at the beginning of the list: that of the first cause, or that of the cause which is its first argument.
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
