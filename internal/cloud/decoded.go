package cloud

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"sync"

	"github.com/gophercloud/gophercloud/v2/pagination"
)

// decoded are the objects of one answer, read once for all who share it: many stacks in one project would read
// the objects of all others otherwise, each of them. Nobody may change what an object refers to.
type decoded struct {
	known *lastRead
	mu    sync.Mutex
	lists map[listOf]func() (any, error)
}

// lastRead are the objects of the last answers to one question: what has the same text in the next one is not read
// again. Where many stacks come to be, each list has few objects that the last one had not.
type lastRead struct {
	mu    sync.Mutex
	lists map[listOf]any // each is a map[string]written[T], by text
}

// listOf is a list of an answer, as objects of a type.
type listOf struct {
	field string
	as    reflect.Type
}

// contents are what a page has.
type contents[T any] struct {
	members map[string]any // besides the list
	objects []T
	last    json.RawMessage
	bytes   int64
}

// written is an object with its text.
type written[T any] struct {
	text   string
	object T
}

// after is for the answer that comes after another one to the same question; nil for none.
func after(last *answer) *decoded {
	d := &decoded{known: &lastRead{lists: map[listOf]any{}}, lists: map[listOf]func() (any, error){}}
	if last != nil && last.shared != nil {
		d.known = last.shared.known
	}
	return d
}

// readShared is readPage for an answer that others have, too.
func readShared[T any](l *listing, resp *http.Response, shared *decoded, take func(T) error) (page, error) {
	p := page{of: l}
	all, err := contentsOf[T](shared, l, resp.Body)
	p.PageResult, p.last = pagination.PageResultFromParsed(resp, all.members), all.last
	for _, object := range all.objects {
		if err == nil {
			err = l.took(all.bytes)
		}
		if err == nil {
			err = take(object)
		}
		if err != nil {
			return p, err
		}
		p.objects++
	}
	l.bytes += all.bytes
	return p, err
}

// contentsOf reads an answer, unless somebody has.
func contentsOf[T any](d *decoded, l *listing, text io.Reader) (contents[T], error) {
	list := listOf{l.field, reflect.TypeFor[T]()}
	d.mu.Lock()
	once := d.lists[list]
	if once == nil {
		once = sync.OnceValues(func() (any, error) { return readNew[T](d.known, list, l.way, text) })
		d.lists[list] = once
	}
	d.mu.Unlock()
	all, err := once()
	return all.(contents[T]), err
}

// readNew reads an answer but for the objects that are known, and makes those known that it has.
func readNew[T any](k *lastRead, list listOf, way paging, text io.Reader) (c contents[T], err error) {
	k.mu.Lock()
	before, _ := k.lists[list].(map[string]written[T])
	k.mu.Unlock()
	now, alone := make(map[string]written[T], len(before)), page{of: &listing{field: list.field, way: way}}
	c.members, err = readText(&alone, text, func(raw json.RawMessage) error {
		w, ok := before[string(raw)]
		if !ok {
			w.text = string(raw)
			if err := json.Unmarshal(raw, &w.object); err != nil {
				return err
			}
		}
		now[w.text] = w
		c.objects = append(c.objects, w.object)
		return nil
	})
	c.last, c.bytes = alone.last, alone.of.bytes
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lists[list] = now
	return c, err
}
