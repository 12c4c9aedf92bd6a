package source

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// secrets are values that must not appear in any text.
type secrets []string

// add adds a value in all encodings in which a text could contain it.
func (s *secrets) add(value string) {
	if value == "" {
		return
	}
	*s = append(*s, value, url.QueryEscape(value), url.PathEscape(value))
}

func (s *secrets) addLogin(user, password string) {
	if password == "" {
		return
	}
	s.add(password)
	*s = append(*s, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
}

func (s secrets) remove(text string) string {
	for _, value := range s {
		text = strings.ReplaceAll(text, value, "[hidden]")
	}
	return text
}
