package seatplan

// area checks a decoration of the plan. Nothing is sold there and usher draws its own, so that nothing of it
// is kept.
func (r *pretixReader) area(n *node, place string) {
	if !r.object(n, place, "shape", "position", "color", "border_color", "rotation", "uuid", "text",
		"polygon", "rectangle", "ellipse", "circle") {
		return
	}
	if r.required(n, place, "shape") != nil {
		r.choice(n, place, "shape", "polygon", "rectangle", "ellipse", "circle", "text")
	}
	r.position(n, place, false)
	r.texts(n, place, "color", "border_color")
	r.numbers(n, place, "rotation")
	r.uuid(n, place)
	r.areaText(n, place)
	r.areaShape(n, place)
}

func (r *pretixReader) areaText(n *node, place string) {
	text := n.get("text")
	if text == nil {
		return
	}
	place = join(place, "text")
	if !r.object(text, place, "text", "position", "size", "color") {
		return
	}
	r.texts(text, place, "text", "color")
	r.numbers(text, place, "size")
	r.position(text, place, false)
}

func (r *pretixReader) areaShape(n *node, place string) {
	if v, p := n.get("rectangle"), join(place, "rectangle"); v != nil && r.object(v, p, "width", "height") {
		r.numbers(v, p, "width", "height")
	}
	if v, p := n.get("circle"), join(place, "circle"); v != nil && r.object(v, p, "radius") {
		r.numbers(v, p, "radius")
	}
	if v, p := n.get("ellipse"), join(place, "ellipse"); v != nil && r.object(v, p, "radius") {
		if radius := v.get("radius"); radius != nil {
			r.point(radius, join(p, "radius"))
		}
	}
	if v, p := n.get("polygon"), join(place, "polygon"); v != nil && r.object(v, p, "points") {
		for i, point := range r.list(v, p, "points") {
			r.point(point, at(join(p, "points"), i))
		}
	}
}
