package oslo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Problem is the reason why a value is rejected.
type Problem int

// These are the problems. For some of them, the error also contains a bound.
const (
	NotText   Problem = iota
	TooLong           // bound: the maximum length
	NotNumber         // the value is not a whole number
	TooSmall          // bound: the minimum
	TooLarge          // bound: the maximum
	NotListed         // bound: the accepted words
	NotList
)

// Types makes the parsers of a service. It is a function that returns the service's error for a problem of an
// attribute's value. bound is the limit that the value violates.
type Types func(p Problem, name string, v, bound any) *Error

// Text accepts texts of up to limit characters.
func (t Types) Text(limit int) Parser {
	return func(name string, v any) (any, *Error) {
		s, ok := v.(string)
		if !ok {
			return nil, t(NotText, name, v, nil)
		}
		if len([]rune(s)) > limit {
			return nil, t(TooLong, name, s, limit)
		}
		return s, nil
	}
}

// Int accepts whole numbers between low and high. They may be sent as texts.
func (t Types) Int(low, high int) Parser {
	return func(name string, v any) (any, *Error) {
		i, err := strconv.Atoi(fmt.Sprint(v))
		switch {
		case err != nil:
			return nil, t(NotNumber, name, v, nil)
		case i < low:
			return nil, t(TooSmall, name, i, low)
		case i > high:
			return nil, t(TooLarge, name, i, high)
		}
		return i, nil
	}
}

// OneOf accepts the given words. It also accepts a number whose digits are one of the words.
func (t Types) OneOf(words ...string) Parser {
	return func(name string, v any) (any, *Error) {
		switch v.(type) {
		case string, json.Number:
			if s := fmt.Sprint(v); slices.Contains(words, s) {
				return s, nil
			}
		}
		return nil, t(NotListed, name, v, words)
	}
}

// Texts accepts a list of texts. The parser one must accept each element.
func (t Types) Texts(one Parser) Parser {
	return func(name string, v any) (any, *Error) {
		list, ok := v.([]any)
		if !ok {
			return nil, t(NotList, name, v, nil)
		}
		out := []string{}
		for _, x := range list {
			x, err := one(name, x)
			if err != nil {
				return nil, err
			}
			s, _ := x.(string)
			out = append(out, s)
		}
		return out, nil
	}
}

// OrNull returns a parser that also accepts null.
func OrNull(p Parser) Parser {
	return func(name string, v any) (any, *Error) {
		if v == nil {
			return nil, nil
		}
		return p(name, v)
	}
}
