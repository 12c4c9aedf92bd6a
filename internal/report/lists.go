package report

import (
	"fmt"
	"strings"
)

// People see only the differences of a long list that changes. Terminals, comments, events and status show the differences as this file formats
// them. Programs get both lists completely.

const (
	// longList is a number of added and removed items: up to this many items are all shown, even without -v.
	longList = 8
	// maxExamples is the number of removed items, and of added items, that are shown of a longer list.
	maxExamples = 3
)

// Listed describes the change of a list.
type Listed struct {
	Gone, Come []string // the items that only the old list contains, and those that only the new list contains
	Kept       int      // the number of items that both lists contain
}

// Compared compares two lists without regard to their order.
func Compared(have, want []string) (l Listed) {
	left := map[string]int{}
	for _, item := range want {
		left[item]++
	}
	for _, item := range have {
		if left[item] > 0 {
			left[item]--
			l.Kept++
			continue
		}
		l.Gone = append(l.Gone, item)
	}
	for _, item := range want {
		if left[item] > 0 {
			left[item]--
			l.Come = append(l.Come, item)
		}
	}
	return l
}

// Same reports whether both lists have the same items.
func (l Listed) Same() bool { return len(l.Gone)+len(l.Come) == 0 }

// Sum returns the numbers of added and removed items, and the numbers of items before and after: "+270, -2 (32 -> 300)". It returns "" if there are
// so few changes that all of them are shown.
func (l Listed) Sum() string {
	if len(l.Gone)+len(l.Come) <= longList {
		return ""
	}
	var parts []string
	if n := len(l.Come); n > 0 {
		parts = append(parts, fmt.Sprintf("+%d", n))
	}
	if n := len(l.Gone); n > 0 {
		parts = append(parts, fmt.Sprintf("-%d", n))
	}
	return fmt.Sprintf("%s (%d -> %d)", strings.Join(parts, ", "), l.Kept+len(l.Gone), l.Kept+len(l.Come))
}

// Item is one line about a change of a list.
type Item struct {
	Sign string // "-" for a removed item, "+" for an added one
	Text string
	More bool // the line only counts the items that are not shown
}

// Items returns the removed items, then the added items. If there are many and all is false, it returns only the first ones.
func (l Listed) Items(all bool) []Item {
	all = all || l.Sum() == ""
	return append(signed("-", l.Gone, all), signed("+", l.Come, all)...)
}

func signed(sign string, texts []string, all bool) (items []Item) {
	for i, text := range texts {
		if more := len(texts) - i; i == maxExamples && more > 1 && !all {
			return append(items, Item{sign, fmt.Sprintf("%d more", more), true})
		}
		items = append(items, Item{sign, text, false})
	}
	return items
}

// words returns the change in one line.
func (l Listed) words() string {
	if l.Same() {
		return "in another order"
	}
	var items []string
	for _, item := range l.Items(false) {
		items = append(items, item.Sign+item.Text)
	}
	text := strings.Join(items, ", ")
	if sum := l.Sum(); sum != "" {
		return sum + ": " + text
	}
	return text
}
