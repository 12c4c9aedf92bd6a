package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"time"
)

//go:embed ui
var files embed.FS

// asset is a file of the page.
type asset struct {
	kind string // media type of its content
	text []byte
	tag  string
}

// assets returns the files of the page, by path.
func assets() (map[string]asset, error) {
	list := map[string]asset{}
	for path, of := range map[string][2]string{
		Prefix:              {"index.html", "text/html; charset=utf-8"},
		Prefix + "page.js":  {"page.js", "text/javascript; charset=utf-8"},
		Prefix + "page.css": {"page.css", "text/css; charset=utf-8"},
	} {
		text, err := files.ReadFile("ui/" + of[0])
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		list[path] = asset{of[1], text, `"` + hex.EncodeToString(sum[:12]) + `"`}
	}
	return list, nil
}

func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache") // browsers ask each time whether the file has changed
	h.Set("ETag", a.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.text))
}

// rules are the rules for the browser: nothing from other servers is loaded, run or framed.
const rules = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

func harden(h http.Header) {
	h.Set("Content-Security-Policy", rules)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}
