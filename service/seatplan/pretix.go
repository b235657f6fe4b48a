package seatplan

import (
	"fmt"
	"regexp"
	"strings"

	"usher/service/domain"
)

// pretixReader carries what one pass over a pretix plan gathers.
type pretixReader struct {
	walk
	opts   Options
	layout *domain.SeatLayout
	report *Report
	known  map[string]bool // categories
	uuids  map[string]string
	places []string // where each seat of the layout stands in the file
	over   int      // seats beyond the bound
}

func parsePretix(layout *domain.SeatLayout, data []byte, opts Options, problems *Problems) Report {
	var report Report
	root := readTree(data, problems)
	if root == nil {
		return report
	}
	r := &pretixReader{
		walk: walk{problems: problems}, opts: opts, layout: layout, report: &report,
		known: make(map[string]bool), uuids: make(map[string]string),
	}
	width, height := r.plan(root)
	if r.over > 0 {
		problems.add("", fmt.Sprintf("the plan has %s, at most %d are read",
			plural(len(layout.Seats)+r.over, "seat"), opts.MaxSeats))
	}
	r.settleIDs()
	report.count(layout)
	if report.Seats == 0 && len(problems.Items) == 0 {
		problems.add("zones", "the plan has no seats")
	}
	r.dropUnused()
	r.notes()
	if fit(layout, width, height) {
		report.note("seats lie outside the size that the file gives: the plan was made larger")
	}
	return report
}

// plan reads the top level and returns the size in the file, zero when it has none.
func (r *pretixReader) plan(root *node) (width, height float64) {
	if !r.object(root, "", "name", "categories", "zones", "size") {
		return 0, 0
	}
	r.layout.Name, _ = r.label(root, "", "name", maxID)
	for i, c := range r.list(root, "", "categories") {
		r.category(c, at("categories", i))
	}
	for i, z := range r.list(root, "", "zones") {
		r.zone(z, at("zones", i))
	}
	if size := root.get("size"); size != nil && r.object(size, "size", "width", "height") {
		width, height = r.number(size, "size", "width"), r.number(size, "size", "height")
		if width < 0 || height < 0 {
			r.problems.add("size", fmt.Sprintf("a size of %g by %g is not possible", width, height))
		}
	}
	return width, height
}

// cssColor admits the notations of a colour that cannot carry anything else into a page.
var cssColor = regexp.MustCompile(`^(#[0-9A-Fa-f]{3,8}|[A-Za-z]{3,30}|(rgb|hsl)a?\([0-9., %/]{1,40}\))$`)

func (r *pretixReader) category(n *node, place string) {
	if !r.object(n, place, "name", "color") {
		return
	}
	r.texts(n, place, "color")
	name, ok := r.label(n, place, "name", maxLabel)
	switch {
	case !ok:
		return
	case name == "":
		r.problems.add(join(place, "name"), "the name is empty")
		return
	case r.known[name]:
		r.problems.add(join(place, "name"), "category "+quote(name)+" is defined twice")
		return
	}
	r.known[name] = true
	tier := domain.SeatTier{Name: name}
	if c := n.get("color"); c != nil {
		if cssColor.MatchString(c.text) {
			tier.Color = c.text
		} else {
			r.report.note("category " + quote(name) + ": the colour " + quote(c.text) + " is none that usher draws, it was left out")
		}
	}
	r.layout.Tiers = append(r.layout.Tiers, tier)
}

func (r *pretixReader) zone(n *node, place string) {
	if !r.object(n, place, "name", "zone_id", "uuid", "position", "rows", "areas", "displayed") {
		return
	}
	var name string
	if n.get("name") != nil {
		name, _ = r.label(n, place, "name", maxLabel)
	}
	if n.get("zone_id") != nil {
		if id, _ := r.label(n, place, "zone_id", maxLabel); name == "" {
			name = id
		}
	}
	r.uuid(n, place)
	x, y := r.position(n, place, true)
	for i, row := range r.list(n, place, "rows") {
		r.row(row, at(join(place, "rows"), i), origin{zone: name, x: x, y: y})
	}
	if areas := n.get("areas"); areas != nil {
		for i, a := range r.list(n, place, "areas") {
			r.area(a, at(join(place, "areas"), i))
		}
	}
}

// position reads the object's position; a missing one is 0,0 where the format allows it.
func (r *pretixReader) position(n *node, place string, need bool) (x, y float64) {
	v := n.get("position")
	if v == nil {
		if need {
			r.required(n, place, "position")
		}
		return 0, 0
	}
	return r.point(v, join(place, "position"))
}

// uuid checks that an object's uuid, if any, is used once in the file.
func (r *pretixReader) uuid(n *node, place string) {
	if n.get("uuid") == nil {
		return
	}
	id, ok := r.text(n, place, "uuid")
	if !ok {
		return
	}
	if first, used := r.uuids[id]; used {
		r.problems.add(join(place, "uuid"), "uuid "+quote(id)+" is used at "+first+" already")
		return
	}
	r.uuids[id] = place
}

// categories lists the defined categories for a message.
func (r *pretixReader) categories() string {
	names := make([]string, 0, len(r.layout.Tiers))
	for i, tier := range r.layout.Tiers {
		if i == 20 {
			names = append(names, "…")
			break
		}
		names = append(names, tier.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// dropUnused removes the tiers in which no seat stands: nobody could price them sensibly.
func (r *pretixReader) dropUnused() {
	used := make(map[string]bool)
	for i := range r.layout.Seats {
		used[r.layout.Seats[i].Tier] = true
	}
	kept := r.layout.Tiers[:0:0]
	for _, tier := range r.layout.Tiers {
		if used[tier.Name] {
			kept = append(kept, tier)
			continue
		}
		r.report.note("category " + quote(tier.Name) + " has no seat and was left out")
	}
	r.layout.Tiers = kept
}
