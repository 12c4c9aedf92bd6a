package source

import (
	"io"
	"strings"
	"testing"
)

func TestPackTooLong(t *testing.T) {
	r := &bounded{r: strings.NewReader("12345678"), left: 7, what: "it"}
	content, err := io.ReadAll(r)
	if err == nil || len(content) > 7 {
		t.Errorf("%q, %v", content, err)
	}
	r = &bounded{r: strings.NewReader("1234567"), left: 7, what: "it"}
	if content, err = io.ReadAll(r); err != nil || string(content) != "1234567" {
		t.Errorf("%q, %v", content, err)
	}
}
