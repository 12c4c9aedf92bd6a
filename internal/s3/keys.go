package s3

import (
	"errors"
	"strings"
)

// Keys sign requests.
type Keys struct {
	ID, Secret string
	Token      string // the token of temporary keys; "" for other keys
}

// ParseKeys parses a file in the format of AWS's tools. It has a section [default], or no section, with
// aws_access_key_id, aws_secret_access_key and optionally aws_session_token. Other sections are ignored. Its
// error contains no part of the text.
func ParseKeys(text string) (k Keys, err error) {
	section := "default"
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSpace(strings.TrimSuffix(name, "]"))
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || section != "default" || strings.HasPrefix(line, "#") {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "aws_access_key_id":
			k.ID = value
		case "aws_secret_access_key":
			k.Secret = value
		case "aws_session_token":
			k.Token = value
		}
	}
	if k.ID == "" || k.Secret == "" {
		return Keys{}, errors.New("has no aws_access_key_id and aws_secret_access_key in a section [default]")
	}
	return k, nil
}
