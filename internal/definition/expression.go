package definition

import (
	"errors"
	"fmt"
	"strings"
)

// A text may contain expressions:
//
//	${schema.spec.name}-net    a text with expressions in it
//	${schema.spec.replicas}    only an expression: the value may have any type
//	$${HOME}                   no expression: the result is the text ${HOME}

// segment is a part of a text: a constant text, or the source of an expression.
type segment struct {
	text string
	expr bool
}

var (
	errNoEnd   = errors.New("an expression begins with ${ and has no closing }")
	errNested  = errors.New("an expression contains another expression: write ${a + b}, not ${a + ${b}}")
	errTooLong = fmt.Errorf("an expression is longer than %d bytes", maxExpression)
)

// segments splits a text into its segments.
func segments(text string) (list []segment, err error) {
	var written strings.Builder
	flush := func() {
		if written.Len() > 0 {
			list = append(list, segment{text: written.String()})
			written.Reset()
		}
	}
	for {
		at := strings.Index(text, "${")
		if at < 0 {
			written.WriteString(text)
			flush()
			return list, nil
		}
		if at > 0 && text[at-1] == '$' {
			written.WriteString(text[:at-1] + "${")
			text = text[at+2:]
			continue
		}
		written.WriteString(text[:at])
		flush()
		end, err := endOf(text[at+2:])
		if err != nil {
			return nil, err
		}
		list = append(list, segment{strings.TrimSpace(text[at+2 : at+2+end]), true})
		text = text[at+2+end+1:]
	}
}

// endOf returns the end of the expression at the start of text: the offset of the brace that closes it.
func endOf(text string) (int, error) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text) && i <= maxExpression; i++ {
		c := text[i]
		switch {
		case quote != 0:
			switch c {
			case '\\':
				i++
			case quote:
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '{':
			if i > 0 && text[i-1] == '$' {
				return 0, errNested
			}
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}':
			return i, nil
		}
	}
	if len(text) > maxExpression {
		return 0, errTooLong
	}
	return 0, errNoEnd
}

// singleExpression returns the expression if the text consists of only one expression.
func singleExpression(text string) (expr string, ok bool, err error) {
	list, err := segments(strings.TrimSpace(text))
	if err != nil || len(list) != 1 || !list[0].expr {
		return "", false, err
	}
	return list[0].text, true, nil
}
