// A sentence drawn as a dependency tree, by the rules of reports/tree_svg.py, where each of them is explained.

const GAP = 14, STEP = 22, LEAST_STEP = 12, HIGHEST = 440, PAD = 10, FORM = 15, TAG = 11, LABEL = 11, LONGEST = 28, ROOT = -1, NEAR = [4, 3, 2, 1, 0];
// colours are those of reports/palette.py, light or dark
const INK = "var(--ink)";
const PENS = {
  plain: ["var(--plain)", 1, ""],
  suspect: ["var(--suspect)", 2.5, ""],
  own: ["var(--suspect)", 1.5, ""],       // another parse has another arc
  gold: ["var(--gold)", 2, "6 3"],
  other: ["var(--other)", 2, "2 3"],
  fixed: ["var(--unsure)", 2.5, "9 4"],    // what an arc is corrected to …
  former: ["var(--plain)", 1.5, "1 4"],   // … and what it was
};

const canvas = document.createElement("canvas").getContext("2d");
function textWidth(text, size) {
  canvas.font = `bold ${size}px system-ui, sans-serif`;
  return Math.ceil(canvas.measureText(text).width);
}

function shortened(form) {
  const letters = Array.from(form);
  return letters.length <= LONGEST ? form : letters.slice(0, LONGEST - 1).join("") + "…";
}

function near(n, wanted, reach) {
  const kept = Array.from({length: n}, (_, k) => wanted.some(w => Math.abs(k - w) <= reach));
  const places = [];
  for (let k = 0; k < n; k++) if (kept[k] || k === 0 || kept[k - 1]) places.push(kept[k] ? k : -1);
  return places;
}

// words: [form, tag]; arcs and below: {dependent, head, label, kind}; tokens: [first, last, form]
function layout(words, arcs, below, tokens, marked, rtl, widthOf) {
  const all = arcs.concat(below), half = v => Math.floor(v / 2);
  const labelWidth = Object.fromEntries(all.map(arc => [arc.label, widthOf(arc.label, LABEL)]));
  const size = words.map(([form, tag]) => Math.max(widthOf(form, FORM), widthOf(tag, TAG)));
  const endingAt = words.map(() => []);
  for (const arc of all) if (arc.head !== ROOT) endingAt[Math.max(arc.dependent, arc.head)].push(arc);
  const middle = [];
  words.forEach((_, k) => {
    let at = k === 0 ? PAD + half(size[0]) : middle[k - 1] + half(size[k - 1] + size[k]) + GAP;
    for (const arc of endingAt[k])
      at = Math.max(at, middle[Math.min(arc.dependent, arc.head)] + labelWidth[arc.label] + 22);
    middle.push(at);
  });
  const roots = all.filter(arc => arc.head === ROOT).map(arc => half(labelWidth[arc.label]) + middle[arc.dependent]);
  const last = words.length - 1;
  const width = Math.max(words.length ? middle[last] + half(size[last]) : 0, ...roots) + PAD;
  const x = rtl ? middle.map(at => width - at) : middle;
  const levels = levelsOf(arcs, words.length), levelsBelow = levelsOf(below, words.length);
  const step = Math.max(LEAST_STEP, Math.min(STEP, Math.floor(HIGHEST / Math.max(1, ...levels))));
  const base = PAD + LABEL + step * Math.max(0, ...levels);
  const shapes = [];
  const colouredLast = arcs.map((_, k) => k).sort((a, b) => (arcs[a].kind !== "plain") - (arcs[b].kind !== "plain"));
  for (const k of colouredLast) shapes.push(...arcShapes(arcs[k], x, base, base - step * levels[k]));
  let under = base + FORM + TAG + 12;
  words.forEach(([form, tag], k) => {
    shapes.push(["text", x[k], base + FORM + 2, form, FORM, "plain", marked.includes(k)]);
    shapes.push(["text", x[k], base + FORM + TAG + 6, tag, TAG, "plain", false]);
  });
  for (const [first, end, form] of tokens) {
    let low = middle[first] - half(size[first]), high = middle[end] + half(size[end]);
    if (rtl) [low, high] = [width - high, width - low];
    shapes.push(["arc", `M${low} ${under}v4H${high}v-4`, "", "plain"]);
    shapes.push(["text", half(low + high), under + FORM + 4, form, FORM - 2, "plain", false]);
  }
  if (tokens.length) under += FORM + 10;
  below.forEach((arc, k) => shapes.push(...arcShapes(arc, x, under, under + STEP * levelsBelow[k])));
  const height = under + STEP * Math.max(0, ...levelsBelow) + (below.length ? LABEL : 0) + PAD;
  return {width, height, shapes, x};
}

function levelsOf(arcs, n) {
  const tops = new Array(n + 1).fill(0), found = new Array(arcs.length).fill(0);
  const span = k => Math.abs(arcs[k].dependent - arcs[k].head);
  for (const k of arcs.map((_, k) => k).sort((a, b) => span(a) - span(b))) {
    const {dependent, head} = arcs[k];
    if (head === ROOT) continue;
    const low = Math.min(dependent, head), high = Math.max(dependent, head);
    found[k] = Math.max(...tops.slice(low, high)) + 1;
    tops.fill(found[k], low, high);
  }
  const highest = Math.max(0, ...found) + 1;
  return found.map(level => level || highest);
}

function arcShapes(arc, x, base, top) {
  const end = x[arc.dependent], down = top > base ? 1 : -1, tip = base + 3 * down, bold = arc.kind !== "plain";
  const arrow = `M${end} ${base}l-4 ${8 * down}h8z`;
  if (arc.head === ROOT)
    return [
      ["arc", `M${end} ${top}V${tip}`, arrow, arc.kind],
      ["text", end, top + (down > 0 ? LABEL : -3), arc.label, LABEL, arc.kind, bold],
    ];
  const towards = end > x[arc.head] ? 1 : -1, start = x[arc.head] + 5 * towards;
  const turn = `q0 ${6 * down} ${6 * towards} ${6 * down}`;
  const path = `M${start} ${tip}V${top - 6 * down}${turn}H${end - 6 * towards}`
    + `q${6 * towards} 0 ${6 * towards} ${-6 * down}V${tip}`;
  return [
    ["arc", path, arrow, arc.kind],
    ["text", Math.floor((start + end) / 2), top + 4, arc.label, LABEL, arc.kind, bold],
  ];
}

function svgElement(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function svg(drawing, title) {
  const {width, height} = drawing;
  const picture = svgElement("svg", {role: "img", width, height, viewBox: `0 0 ${width} ${height}`,
    "font-family": "system-ui, sans-serif"});
  picture.append(svgElement("title", {}, title));
  for (const shape of drawing.shapes) {
    if (shape[0] === "arc") {
      const [colour, stroke, dashes] = PENS[shape[3]];
      const line = {d: shape[1], fill: "none", stroke: colour, "stroke-width": stroke};
      if (dashes) line["stroke-dasharray"] = dashes;
      picture.append(svgElement("path", line));
      if (shape[2]) picture.append(svgElement("path", {d: shape[2], fill: colour}));
    } else {
      const [, x, y, text, size, kind, bold] = shape;
      const fill = kind === "plain" && size !== LABEL ? INK : PENS[kind][0];
      picture.append(svgElement("text", {x, y, fill, "font-size": size, "font-weight": bold ? "bold" : "normal",
        "text-anchor": "middle", stroke: "var(--paper)", "stroke-width": 4, "paint-order": "stroke"}, text));
    }
  }
  return picture;
}

const RTL = /\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/gu, LTR = /\p{L}/gu;
function isRtl(text) {
  const rtl = (text.match(RTL) || []).length;
  return rtl > (text.match(LTR) || []).length - rtl;
}
