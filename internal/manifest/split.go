package manifest

import "bytes"

// chunk is the text of one document of a stream, with the line on which it starts.
type chunk struct {
	text []byte
	line int
	// places are the places of the lines, and name is the earlier name of the object, if a program made the text: see [Built].
	places []Origin
	name   string
}

// split cuts a YAML stream at its document markers. A marker at the start of a line always ends a document, even inside an
// open quote. So a broken document cannot hide the documents after it. Chunks without content are left out. At most
// limit+1 chunks are returned.
func split(text []byte, limit int) []chunk {
	var chunks []chunk
	current := chunk{line: 1}
	start, line, content := 0, 1, false
	flush := func(end int) {
		if content && len(chunks) <= limit {
			current.text = text[start:end]
			chunks = append(chunks, current)
		}
		content = false
	}
	for at := 0; at < len(text); line++ {
		end := lineEnd(text, at)
		row := text[at:end]
		switch {
		case marks(row, "---"):
			flush(at)
			start, current.line = at, line
			content = hasContent(row[3:])
		case marks(row, "..."):
			flush(at)
			start, current.line = end, line+1
		case !content && row[0] == '%':
			start, current.line = end, line+1
		case !content:
			content = hasContent(row)
		}
		at = end
	}
	flush(len(text))
	return chunks
}

// lineEnd returns the offset after the line that starts at from. A line ends with \n, \r\n or \r.
func lineEnd(text []byte, from int) int {
	i := bytes.IndexAny(text[from:], "\r\n")
	if i < 0 {
		return len(text)
	}
	end := from + i + 1
	if text[end-1] == '\r' && end < len(text) && text[end] == '\n' {
		end++
	}
	return end
}

func marks(row []byte, marker string) bool {
	if !bytes.HasPrefix(row, []byte(marker)) {
		return false
	}
	return len(row) == len(marker) || bytes.IndexByte([]byte(" \t\r\n"), row[len(marker)]) >= 0
}

func hasContent(row []byte) bool {
	row = bytes.TrimLeft(row, " \t\r\n")
	return len(row) > 0 && row[0] != '#'
}
