package kind

import (
	"fmt"
)

// Format implements fmt.Formatter: every verb prints only the key of an object, because the other
// fields may be secret.
func (d Desired) Format(s fmt.State, _ rune) { fmt.Fprint(s, d.Key.String()) }

// MarshalText implements encoding.TextMarshaler, which log handlers use, too.
func (d Desired) MarshalText() ([]byte, error) { return []byte(d.Key.String()), nil }

// Format implements fmt.Formatter. It prints only the key, because a reference contains the data of
// Secrets.
func (r Ref) Format(s fmt.State, _ rune) { fmt.Fprint(s, r.Key.String()) }

// Format implements fmt.Formatter.
func (w Want) Format(s fmt.State, _ rune) { fmt.Fprint(s, w.Key.String()) }
