package component

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"

	"usher/service/domain"
)

// Bounds of a drawn seat in CSS pixels: it never grows beyond seatMax at zoom 1, shows its number from seatText
// on, and is at least seatTarget wide where a map cannot be zoomed.
const (
	seatMax    = 40
	seatText   = 19
	seatTarget = 26
)

// LayoutCSS returns the style sheet that places a layout's seats and row names in the room's box, in percent. It
// depends on the layout alone, so it may be kept for ever at the address of LayoutURL.
func LayoutCSS(layout *domain.SeatLayout) []byte {
	b := boxOf(layout)
	side := b.seat / b.width
	var out bytes.Buffer
	fmt.Fprintf(&out, ".room{--ratio:%s;--max:%spx;--min:%spx;aspect-ratio:%s}\n",
		num(b.width/b.height), num(seatMax/side), num(seatTarget/side), num(b.width/b.height))
	fmt.Fprintf(&out, ".room .seat{width:%s%%;height:%s%%;font-size:%scqw}\n",
		num(100*side), num(100*b.seat/b.height), num(44*side))
	fmt.Fprintf(&out, ".rowmark{width:%s%%;height:%s%%;font-size:clamp(7px,%scqw,15px)}\n",
		num(100*side), num(100*b.seat/b.height), num(52*side))
	fmt.Fprintf(&out, ".screen{height:%s%%}\n", num(100*0.62*b.screenHeight/b.height))
	fmt.Fprintf(&out, "@container room (min-width:%spx){.room .seat b{color:inherit}}\n", num(seatText/side))
	for i := range layout.Seats {
		place(&out, "s", i, layout.Seats[i].X, layout.Seats[i].Y, b)
	}
	for i, m := range rowMarksOf(layout, b) {
		place(&out, "r", i, m.x, m.y, b)
	}
	return out.Bytes()
}

// place writes the top left corner of a box of a seat's size around x, y.
func place(out *bytes.Buffer, class string, i int, x, y float64, b box) {
	fmt.Fprintf(out, ".%s%d{left:%s%%;top:%s%%}\n", class, i,
		num(100*(x-b.seat/2-b.left)/b.width), num(100*(y-b.seat/2-b.top)/b.height))
}

// LayoutURL returns the address of a layout's style sheet, with the hash of its content.
func LayoutURL(layout *domain.SeatLayout) string {
	return "/layouts/" + url.PathEscape(layout.ID) + ".css?v=" + LayoutVersion(layout)
}

// LayoutVersion returns the hash of the layout's style sheet.
func LayoutVersion(layout *domain.SeatLayout) string {
	sum := sha256.Sum256(LayoutCSS(layout))
	return hex.EncodeToString(sum[:])[:12]
}

// num prints at most three decimals, no trailing zeros.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 3, 64)
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	if s == "-0" {
		return "0"
	}
	return s
}
