// The staff's room: zoom only.
import { zoomable } from "./zoom.js";

const box = document.querySelector("[data-map]");
if (box) zoomable(box);
