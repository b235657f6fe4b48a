package service

import (
	"fmt"
	"strings"

	qr "github.com/piglig/go-qr"
)

// quietZone is the empty border that readers need, in modules.
const quietZone = 4

// QRSVG draws a code as an SVG element, black on white whatever the page's theme, of error correction M. It has
// geometry and two colours only: no script, style, class or reference, so the strictest policy of a page lets it
// through. The page gives it its size.
func (*Tickets) QRSVG(code string) (string, error) {
	symbol, err := qr.EncodeText(code, qr.Medium)
	if err != nil {
		return "", fmt.Errorf("encode QR code: %w", err)
	}
	size := symbol.Size()
	var sb strings.Builder
	full := size + 2*quietZone
	fmt.Fprintf(&sb, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" shape-rendering="crispEdges">`, full, full)
	fmt.Fprintf(&sb, `<path fill="#ffffff" d="M0 0h%dv%dh-%dz"/><path fill="#000000" d="`, full, full, full)
	for y := range size {
		for x := 0; x < size; x++ {
			run := 0
			for x+run < size && symbol.Module(x+run, y) {
				run++
			}
			if run > 0 {
				fmt.Fprintf(&sb, "M%d %dh%dv1h-%dz", x+quietZone, y+quietZone, run, run)
				x += run
			}
		}
	}
	sb.WriteString(`"/></svg>`)
	return sb.String(), nil
}
