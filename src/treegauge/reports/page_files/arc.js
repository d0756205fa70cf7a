// One arc: its sentence, the tree, the reasons, what is usual instead, and the verdict.

let whole = false;   // draw the whole sentence, however wide
let dragged = -1;    // the word that is dragged to its new head
let shown = null;    // the row whose arc is shown: that of the list, or of another word of its sentence

function sentenceText(row) {
  const text = element("p", {className: "sentence", dir: "auto"});
  const head = headRow(row, headNow(row));
  for (const piece of pieces(SENTENCE[row])) {
    const kind = piece.rows.includes(row) ? "dependent" : piece.rows.includes(head) ? "head" : "";
    text.append(kind ? element("mark", {className: kind, textContent: piece.text}) : piece.text);
    if (piece.space) text.append(" ");
  }
  return text;
}

// The arcs of gold and of the other side, where they differ from this one.
function opinions(row) {
  const found = [];
  for (const [side, kind] of [[GOLD, "gold"], [OTHER, "other"]])
    if (side && side.has(row)) found.push({...side.get(row), kind});
  return found;
}

// Whether the arcs of two parsers are right, where they differ.
const markHere = row => !TWO_PARSERS || !OTHER.has(row) || NOT_IN_GOLD.has(row) ? "" : GOLD.has(row) ? "✗" : "✓";
const markThere = row => !TWO_PARSERS || NOT_IN_GOLD.has(row) ? "" : RIGHT_THERE.has(row) ? "✓" : "✗";

// The tree above the words; below them, the arcs of another parse that differ, and gold's arc of the word.
function tree(row, room, all) {
  const s = SENTENCE[row], first = START[s], n = START[s + 1] - first, suspect = row - first, others = opinions(row);
  const wanted = [suspect, D.head[row] - 1, headNow(row) - 1, ...others.map(arc => arc.head - 1)].filter(w => w >= 0);
  const draw = places => {
    const at = new Map(places.flatMap((w, k) => w < 0 ? [] : [[w, k]]));
    at.set(ROOT, ROOT);
    const shown = places.filter(w => w >= 0);
    const arcs = shown.filter(w => at.has(headNow(first + w) - 1)).map(w => ({dependent: at.get(w),
      head: at.get(headNow(first + w) - 1), label: (isMoved(first + w) ? "" : markHere(first + w)) + relationNow(first + w),
      kind: isMoved(first + w) ? "fixed" : w === suspect ? "suspect" : OTHER && OTHER.has(first + w) ? "own" : "plain"}));
    const former = shown.filter(w => isMoved(first + w) && at.has(D.head[first + w] - 1)).map(w => ({dependent: at.get(w),
      head: at.get(D.head[first + w] - 1), label: `✗ ${relation(first + w)}`, kind: "former"}));
    const there = OTHER ? shown.filter(w => OTHER.has(first + w) && at.has(OTHER.get(first + w).head - 1)).map(w => ({dependent: at.get(w),
      head: at.get(OTHER.get(first + w).head - 1), label: markThere(first + w) + OTHER.get(first + w).label, kind: "other"})) : [];
    const gold = others.filter(arc => arc.kind === "gold" && arc.head >= 0).map(arc => ({dependent: at.get(suspect),
      head: at.get(arc.head - 1), label: arc.label, kind: arc.kind}));
    const below = [...gold, ...there, ...former];
    const tokens = (TOKENS.get(s) || []).filter(t => at.has(t.first - 1) && at.has(t.last - 1))
      .map(t => [at.get(t.first - 1), at.get(t.last - 1), shortened(t.form)]);
    const tagText = w => (picking === "head" ? `${w + 1} ` : "") + (tagNow(first + w) === tag(first + w) ? "" : `✗ ${tag(first + w)} → `) + tagNow(first + w);
    const words = places.map(w => w < 0 ? ["…", ""] : [shortened(form(first + w)), tagText(w)]);
    const rtl = isRtl(shown.map(w => form(first + w)).join(" "));
    const drawing = layout(words, arcs, below, tokens, [at.get(suspect), at.get(headNow(row) - 1)], rtl, textWidth);
    return {...drawing, places, at: drawing.x[at.get(suspect)], both: there.length > 0};
  };
  let drawing = draw(Array.from({length: n}, (_, k) => k));
  const wide = drawing.width > room;
  if (!all) for (const reach of NEAR) if (drawing.width > room) drawing = draw(near(n, wanted, reach));
  const title = `${relationNow(row)}: ${form(row)} depends on ${headForm(row, headNow(row))}`;
  return {picture: svg(drawing, title), wide, at: drawing.at, places: drawing.places, both: drawing.both};
}

function reasonList(row) {
  const found = D.reasons[row];
  if (!found) return null;
  const [reasons, notes] = found, most = Math.max(...reasons.map(reason => reason[1]), 1e-9);
  const items = element("ul", {className: "reasons"});
  for (const [feature, cost, text] of reasons) {
    const bar = element("span", {className: "bar"});
    bar.style.width = `${Math.round(90 * Math.max(cost, 0) / most) + 2}px`;
    items.append(element("li", {}, element("span", {className: "cost", title: `${feature} costs ${count(cost, "nat")}`},
      bar, ` ${cost.toFixed(1)}`), element("span", {textContent: text})));
  }
  for (const note of notes) items.append(element("li", {}, element("span"), element("span", {textContent: note})));
  return items;
}

// "NOUN under VERB: usually obl 52 %, obj 21 %"
function usualInstead(row) {
  if (!D.usual) return [];
  const under = D.head[row] ? tag(headRow(row)) : "ROOT", name = D.subtypes ? relation(row) : universal(relation(row));
  const say = list => list.map(([label, share]) => `${label} ${Math.round(100 * share) || "<1"} %`).join(", ");
  const relations = D.usual.relations[`${tag(row)} ${under}`], heads = D.usual.heads[`${tag(row)} ${name}`];
  return [
    relations ? `${tag(row)} under ${under}: usually ${say(relations)}` : `${tag(row)} under ${under}: never in the reference`,
    heads ? `${name} of ${tag(row)}: usually under ${say(heads)}` : `${name} of ${tag(row)}: never in the reference`,
  ];
}

function facts(row) {
  if (CHECK) return [...(FOUND.has(row) ? [...(PLACE[row] < 0 ? [] : [`${count(rank(row))} of ${count(D.order.length)}`]), `${score(row)} likely to be changed`] : ["no finding"]),
    placeOf(row), sentenceName(row), `word ${position(row)}`].join(" · ");
  const found = [...(PLACE[row] < 0 ? ["not listed"] : [`rank ${count(rank(row))} of ${count(D.n_ranked)}`, `bin ${bin(row)}`]),
    ...(D.score[row] === null && PLACE[row] < 0 ? [] : [`score ${score(row)}`]),
    ...(D.probabilities ? [`probability ${chance(D.score[row] === null ? 0 : Math.exp(D.score[row] / 100))}`] : []),
    sentenceName(row), `word ${position(row)}`];
  if (RANK_THERE && RANK_THERE[row] !== null) found.push(`rank ${count(RANK_THERE[row])} in ${D.other.title}`);
  return found.join(" · ");
}

function describeArc(row, room, all) {
  const drawn = tree(row, room, all), scroll = element("div", {className: "tree"}, drawn.picture);
  const parts = [element("h2", {}, element("b", {textContent: relation(row)}), ": ",
    element("bdi", {textContent: form(row)}), " ← ", element("bdi", {textContent: headForm(row)})),
  element("p", {className: "facts", textContent: facts(row)}), scroll];
  if (drawn.both) parts.push(element("p", {className: "facts legend", textContent: `Above: ${D.name}. Below, dotted: `
    + `${D.other.title}, where it differs.` + (TWO_PARSERS ? " ✓ right, ✗ wrong." : "")}));
  for (const one of CHECK && FOUND.get(row) || [])
    parts.push(element("p", {className: "opinion"}, element("b", {textContent: `${one.code} ${CHECK.kinds[one.code]}`}), one.text ? `: ${one.text}` : ""));
  for (const arc of opinions(row))
    parts.push(element("p", {className: `opinion ${arc.kind}`}, arc.kind === "gold" ? "gold: " : `${D.other.title}: `,
      element("b", {textContent: arc.label}), " of ", element("bdi", {textContent: headForm(row, arc.head)})));
  for (let w = START[SENTENCE[row]]; w < START[SENTENCE[row] + 1]; w++)
    if (fixOf(w)) parts.push(element("p", {className: "opinion fixed"}, trial ? "would be: " : "corrected: ", element("bdi", {textContent: form(w)}), ` ${fixText(w)}`));
  if (TAG_DOUBTS.has(row) && !CHECK) parts.push(element("p", {className: "opinion", textContent: TAG_DOUBTS.get(row)}));
  if (OTHERS.length) parts.push(element("p", {className: "facts", textContent: OTHERS.map(name => `${name} ${valueOf(name, row)}`).join(" · ")}));
  for (const doubts of VALUE_DOUBTS.values())
    if (doubts.has(row) && !CHECK) parts.push(element("p", {className: "opinion", textContent: doubts.get(row)}));
  parts.push(sentenceText(row));
  for (const said of DESK && INVALID.get(SENTENCE[row]) || []) parts.push(element("p", {className: "opinion invalid", textContent: `validator: ${said}`}));
  const reasons = CHECK && !FOUND.get(row)?.[0].code.startsWith("TG1") ? null : reasonList(row);
  if (reasons) parts.push(element("h3", {textContent: "What speaks against it"}), reasons);
  else if (D.n_reasons && !CHECK) parts.push(element("p", {className: "facts",
    textContent: `Reasons are given for the ${D.n_reasons === 1 ? "most suspicious arc" : count(D.n_reasons) + " most suspicious arcs"}.`}));
  const usual = usualInstead(row);
  if (usual.length) parts.push(element("h3", {textContent: "What is usual"}),
    element("ul", {className: "usual"}, ...usual.map(line => element("li", {textContent: line}))));
  return {parts, scroll, drawn};
}

// A word is dropped on another one, which becomes its head; the sentence goes on showing the same word.
function dropOn(head) {
  const row = dragged, before = shown;
  dragged = -1;
  if (row < 0 || row === head || SENTENCE[row] !== SENTENCE[head]) return;
  byId("arc-content").addEventListener("click", event => event.stopPropagation(), {capture: true, once: true});
  shown = row;
  chooseHead(row, position(head));
  if (SENTENCE[before] === SENTENCE[row]) showArc(before);
}

// Another word of the sentence, so many behind.
function showNeighbour(by) {
  const row = shown + by;
  if (shown !== null && SENTENCE[row] === SENTENCE[shown]) showArc(row);
}

function showArc(row) {
  const place = byId("arc-content"), other = row === null ? null : suggestedFix(row);
  if (row !== shown) sayFix("");
  shown = row;
  byId("triage").hidden = byId("fix").hidden = row === null;
  byId("take").hidden = !other;
  if (other) byId("suggestion").textContent = suggestedText(row, other);
  if (row === null) {
    place.replaceChildren(element("p", {textContent: "No arc passes these filters."}));
    return;
  }
  const room = byId("arc").clientWidth - 4, {parts, scroll, drawn} = describeArc(row, room, whole);
  place.replaceChildren(...parts);
  drawn.picture.querySelectorAll(`text[font-size="${FORM}"]`).forEach((word, k) => {
    const w = drawn.places[k];
    if (w < 0) return;
    word.classList.add("word");
    word.addEventListener("click", () => { if (w + 1 === position(row)) pickHead(); else chooseHead(row, w + 1); });
    word.addEventListener("pointerdown", event => { dragged = START[SENTENCE[row]] + w; event.preventDefault(); });
    word.addEventListener("pointerup", () => dropOn(START[SENTENCE[row]] + w));
  });
  if (drawn.wide) {
    const button = element("button", {type: "button", textContent: whole ? "near the arc only" : "whole sentence"});
    button.addEventListener("click", () => { whole = !whole; showArc(row); });
    scroll.after(button);
  }
  scroll.tabIndex = scroll.scrollWidth > scroll.clientWidth ? 0 : -1;
  scroll.scrollLeft = drawn.at - scroll.clientWidth / 2;
  for (const button of document.querySelectorAll("#triage button"))
    button.setAttribute("aria-pressed", verdictOf(row) === button.value);
  byId("note").value = noteOf(row);
}
