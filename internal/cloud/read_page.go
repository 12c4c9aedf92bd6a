package cloud

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/gophercloud/gophercloud/v2/pagination"
)

// readPage decodes the objects of an answer one by one and calls take with each. So only the text of the answer is in memory, and not all
// decoded objects. If take is nil, the objects are kept in the indexes of the listing. The page contains the rest of the answer.
func readPage[Attributes, T any](l *listing, resp *http.Response, as Reading[Attributes, T], take func(T) error) (page, error) {
	defer func() { _ = resp.Body.Close() }() // only the bytes that were read matter
	if body, whole := resp.Body.(wholeBody); whole && body.shared != nil {
		return readShared(l, resp, body.shared, as, take)
	}
	var objects []T
	collects := take == nil
	if collects {
		take = func(object T) error {
			objects = append(objects, object)
			return nil
		}
	}
	p := page{of: l}
	members, err := readText(&p, resp.Body, as.then(take))
	if collects {
		l.indexes = append(l.indexes, pageIndexOf(objects))
	}
	p.PageResult = pagination.PageResultFromParsed(resp, members)
	return p, err
}

// readText reads an answer, and returns its members besides the list.
func readText[T any](p *page, text io.Reader, take func(T) error) (members map[string]any, err error) {
	l, decoder := p.of, json.NewDecoder(text)
	switch open, _ := decoder.Token(); {
	case open == json.Delim('[') && l.field == "":
		err = readObjects(p, decoder, take)
	case open == json.Delim('{') && l.field != "":
		members, err = readMembers(p, decoder, take)
	default:
		err = noList(l.field)
	}
	if err == nil {
		if _, end := decoder.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("there is more text after the answer")
		}
	}
	l.bytes += decoder.InputOffset()
	return members, err
}

// noList returns the error for an answer without a list in the member field; if field is "", the whole answer has to be the list.
func noList(field string) error {
	if field == "" {
		return errors.New("the answer is not a list")
	}
	return fmt.Errorf("the answer has no list %q", field)
}

// readMembers reads an object with the list as one member, and returns the other members.
func readMembers[T any](p *page, decoder *json.Decoder, take func(T) error) (map[string]any, error) {
	members, field, found := map[string]any{}, p.of.field, false
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		if name != field {
			var value any
			err = decoder.Decode(&value)
			members[name.(string)] = value // no other token is a name
		} else if open, wrong := decoder.Token(); wrong != nil || open != json.Delim('[') || found {
			err = errors.Join(fmt.Errorf("the answer has no list %q, or several", field), wrong)
		} else {
			found, err = true, readObjects(p, decoder, take)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := decoder.Token(); err != nil || found {
		return members, err
	}
	return nil, fmt.Errorf("the answer has no %q", field)
}

// readObjects reads the rest of a list.
func readObjects[T any](p *page, decoder *json.Decoder, take func(T) error) error {
	check := idCheck[T]()
	for decoder.More() {
		if err := p.of.took(decoder.InputOffset()); err != nil {
			return err
		}
		item, err := readObject[T](p, decoder)
		if err == nil {
			err = check(item)
		}
		if err == nil {
			err = take(item)
		}
		if err != nil {
			return err
		}
		p.objects++
	}
	_, err := decoder.Token()
	return err
}

func readObject[T any](p *page, decoder *json.Decoder) (item T, err error) {
	if !p.of.way.last {
		err = decoder.Decode(&item)
		return item, err
	}
	if err = decoder.Decode(&p.last); err == nil {
		err = json.Unmarshal(p.last, &item)
	}
	return item, err
}
