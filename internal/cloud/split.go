package cloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// splitter cuts an answer that is in memory into the objects of its list, without decoding them. It copies nothing. The
// answer is valid JSON only if each part is, so each part has to be decoded, or known from an earlier answer.
type splitter struct {
	text []byte
	at   int
}

var errSplit = errors.New("the answer is not valid JSON")

// space skips white space.
func (s *splitter) space() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\n' || s.text[s.at] == '\t' || s.text[s.at] == '\r') {
		s.at++
	}
}

// has skips white space, and then the byte b if it is next.
func (s *splitter) has(b byte) bool {
	s.space()
	if s.at < len(s.text) && s.text[s.at] == b {
		s.at++
		return true
	}
	return false
}

// value cuts off the next value. It ends where the brackets and strings of the value end.
func (s *splitter) value() ([]byte, error) {
	s.space()
	start, depth := s.at, 0
	for s.at < len(s.text) {
		switch b := s.text[s.at]; b {
		case '"':
			if !s.pastString() {
				return nil, errSplit
			}
			if depth == 0 {
				return s.text[start:s.at], nil
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // this brace or bracket ends the object or list that contains the value
				return s.cut(start)
			}
			if depth--; depth == 0 {
				s.at++
				return s.text[start:s.at], nil
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return s.cut(start)
			}
		}
		s.at++
	}
	if depth > 0 {
		return nil, errSplit
	}
	return s.cut(start)
}

func (s *splitter) cut(start int) ([]byte, error) {
	if start == s.at {
		return nil, errSplit
	}
	return s.text[start:s.at], nil
}

// pastString skips a string that begins here.
func (s *splitter) pastString() bool {
	for s.at++; ; {
		end := bytes.IndexByte(s.text[s.at:], '"')
		if end < 0 {
			return false
		}
		backslashes := 0
		for i := s.at + end - 1; i >= s.at && s.text[i] == '\\'; i-- {
			backslashes++
		}
		if s.at += end + 1; backslashes%2 == 0 {
			return true
		}
	}
}

// known skips the next value if it has exactly this text.
func (s *splitter) known(text string) bool {
	rest := s.text[s.at:]
	if len(rest) <= len(text) || string(rest[:len(text)]) != text {
		return false
	}
	switch rest[len(text)] { // otherwise the value may be longer
	case ',', ']', ' ', '\n', '\t', '\r':
		s.at += len(text)
		return true
	}
	return false
}

// splitList cuts an answer into the objects of its list, as readText reads them: object is called with the splitter before each object, and
// has to skip it. It returns the members beside the list.
func splitList(text []byte, field string, object func(*splitter) error) (members map[string]any, end int64, err error) {
	s := &splitter{text: text}
	switch {
	case field == "" && s.has('['):
		err = s.elements(object)
	case field != "" && s.has('{'):
		members, err = s.members(field, object)
	default:
		err = noList(field)
	}
	if s.space(); err == nil && s.at < len(text) {
		err = errors.New("there is more text after the answer")
	}
	return members, int64(s.at), err
}

// elements reads the rest of a list.
func (s *splitter) elements(object func(*splitter) error) error {
	if s.has(']') {
		return nil
	}
	for {
		s.space()
		if err := object(s); err != nil {
			return err
		}
		if s.has(']') {
			return nil
		}
		if !s.has(',') {
			return errSplit
		}
	}
}

// members reads the rest of an object with the list as one member.
func (s *splitter) members(field string, object func(*splitter) error) (map[string]any, error) {
	members, found := map[string]any{}, false
	for more := !s.has('}'); more; {
		s.space()
		text, err := s.value()
		if err != nil || text[0] != '"' {
			return nil, errSplit
		}
		var name string
		if err = json.Unmarshal(text, &name); err != nil || !s.has(':') {
			return nil, errors.Join(errSplit, err)
		}
		if name != field {
			var value any
			if text, err = s.value(); err == nil {
				err = json.Unmarshal(text, &value)
			}
			members[name] = value
		} else if found || !s.has('[') {
			err = fmt.Errorf("the answer has no list %q, or several", field)
		} else {
			found, err = true, s.elements(object)
		}
		if err != nil {
			return nil, err
		}
		if more = s.has(','); !more && !s.has('}') {
			return nil, errSplit
		}
	}
	if !found {
		return nil, fmt.Errorf("the answer has no %q", field)
	}
	return members, nil
}
