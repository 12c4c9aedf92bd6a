package oslo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Problem is what is wrong with a value.
type Problem int

// The problems.
const (
	NotText   Problem = iota
	TooLong           // bound: the greatest length
	NotNumber         // a whole one
	TooSmall          // bound: the least number
	TooLarge          // bound: the greatest number
	NotListed         // bound: the words that are
	NotList
)

// Types makes the parsers of a service: it says how the service words a
// problem of an attribute's value. The bound is what the value goes beyond.
type Types func(p Problem, name string, v, bound any) *Error

// Text takes texts of so many characters.
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

// Int takes whole numbers within bounds, also as texts.
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

// OneOf takes some words, and numbers that are spelt as one of them.
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

// Texts takes a list of what one takes, which gives texts.
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

// OrNull takes a null, too.
func OrNull(p Parser) Parser {
	return func(name string, v any) (any, *Error) {
		if v == nil {
			return nil, nil
		}
		return p(name, v)
	}
}
