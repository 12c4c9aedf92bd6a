package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// pageOf returns one page of a list, and sets GitLab's headers about the other pages.
func pageOf(w http.ResponseWriter, r *http.Request, all list) list {
	size, page := 20, 1
	if n, err := strconv.Atoi(r.URL.Query().Get("per_page")); err == nil {
		size = n
	}
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil {
		page = n
	}
	from := min((page-1)*size, len(all))
	to := min(from+size, len(all))
	link, next := pageLink(r, 1, "first"), ""
	if to < len(all) {
		link, next = link+", "+pageLink(r, page+1, "next"), strconv.Itoa(page+1)
	}
	w.Header().Set("Link", link)
	for name, value := range map[string]string{"X-Page": strconv.Itoa(page), "X-Next-Page": next, "X-Per-Page": strconv.Itoa(size), "X-Total": strconv.Itoa(len(all))} {
		w.Header().Set(name, value)
	}
	return append(list{}, all[from:to]...)
}

// pageLink returns an entry of the header Link.
func pageLink(r *http.Request, page int, relation string) string {
	query := r.URL.Query()
	query.Set("page", strconv.Itoa(page))
	return fmt.Sprintf("<http://%s%s?%s>; rel=%q", r.Host, r.URL.EscapedPath(), query.Encode(), relation)
}

func write(w http.ResponseWriter, code int, said any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("RateLimit-Remaining", "1999")
	w.WriteHeader(code)
	if code != http.StatusNoContent {
		_ = json.NewEncoder(w).Encode(said) // the client may have closed the connection
	}
}
