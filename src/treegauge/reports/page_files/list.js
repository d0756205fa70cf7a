// The list of arcs: only the rows that can be seen are in the document, so its length does not matter.

const NARROW = window.matchMedia("(max-width: 820px)"), SPARE = 8;
let HEIGHT = 30;   // of a row, as in page.css
const list = byId("list"), spacer = byId("spacer");
let rows = [], current = 0;

function showRows(chosen, keep) {
  const at = keep === undefined ? -1 : chosen.indexOf(keep);
  rows = chosen;
  HEIGHT = NARROW.matches ? 50 : 30;
  spacer.style.height = `${rows.length * HEIGHT}px`;
  const inGold = GOLD ? rows.filter(row => !NOT_IN_GOLD.has(row)) : [];   // the others are neither right nor wrong
  const shareOf = isRight => percent(inGold.filter(isRight).length / inGold.length);
  byId("count").textContent = `${count(rows.length)} of ${count(D.order.length, CHECK ? "word" : "arc")}`
    + (inGold.length ? `, ${shareOf(row => !GOLD.has(row))} right` : "")
    + (inGold.length && TWO_PARSERS ? `, ${shareOf(row => RIGHT_THERE.has(row))} in ${D.other.title}` : "");
  select(Math.max(at, 0));
}

function listItem(place) {
  const row = rows[place], verdict = verdictOf(row);
  const item = element("div", {className: "row", id: `row-${place}`});
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", place === current);
  item.style.top = `${place * HEIGHT}px`;
  const wrong = GOLD && GOLD.has(row);
  item.append(
    element("span", {className: "number", textContent: count(rank(row)), title: "rank: 1 is the arc to look at first"}),
    element("span", {className: "number", textContent: RANK_THERE ? shift(moved(row)) : score(row),
      title: CHECK ? "how likely a maintainer would change it" : RANK_THERE ? `rank here minus rank there; ↓ is less reliable in ${D.other.title}` : "log score"}),
    element("span", {className: "relation", textContent: whatIsListed(row), title: whatIsListed(row)}),
    element("span", {className: "words", title: `${form(row)} ← ${headForm(row)}`},
      element("bdi", {textContent: form(row)}), " ← ", element("bdi", {textContent: headForm(row)})),
    element("span", {className: "wrong", textContent: wrong ? "≠" : "", title: wrong ? "gold has another arc" : ""}),
    fixes.has(row) ? element("span", {className: "fixed", textContent: "✎", title: "corrected"})
      : element("span", {className: `verdict ${verdict}`, textContent: VERDICTS[verdict] || "", title: verdict}));
  item.addEventListener("click", () => { select(place); focusList(); });
  return item;
}

// The relation of an arc; of another finding, what it is about.
const ABOUT = {TG201: "tag", TG301: "lemma", TG311: "XPOS", TG401: "features"};
const whatIsListed = row => { const code = CHECK ? FOUND.get(row)[0].code : "TG1"; return code.startsWith("TG1") ? relation(row) : ABOUT[code] ?? code; };

const shift = by => by > 0 ? `↓${count(by)}` : by < 0 ? `↑${count(-by)}` : "0";

const focusList = () => list.focus({preventScroll: true});

function drawList() {
  const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - SPARE);
  const last = Math.min(rows.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + SPARE);
  const items = [];
  for (let place = first; place < last; place++) items.push(listItem(place));
  spacer.replaceChildren(...items);
  list.setAttribute("aria-activedescendant", rows.length ? `row-${current}` : "");
}

function select(place) {
  current = Math.min(Math.max(place, 0), Math.max(rows.length - 1, 0));
  const top = current * HEIGHT;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
  drawList();
  showArc(rows.length ? rows[current] : null);
}

list.addEventListener("scroll", drawList);
list.addEventListener("keydown", event => {
  const page = Math.floor(list.clientHeight / HEIGHT) - 1;
  const to = {PageDown: current + page, PageUp: current - page, Home: 0, End: rows.length - 1}[event.key];
  if (to === undefined) return;
  event.preventDefault();
  select(to);
});

// Columns as wide as the longest rank, score and relation need; relations beyond 130 pixels are cut.
function fitColumns() {
  const ends = [Math.min, Math.max].map(end => D.order.reduce((most, row) => end(most, D.score[row]), 0) / 100);
  const ranks = Math.max(count(D.n_ranked).length, 5);
  const scores = CHECK ? 6 : RANK_THERE ? ranks + 2 : Math.max(...ends.map(end => decimal(end).length), 5) + 1;
  const relations = ["relation", ...(CHECK ? ["features"] : []), ...D.labels.deprel].reduce((most, name) => Math.max(most, textWidth(name, 15)), 0);
  const widths = {rank: `${ranks}ch`, score: `${scores}ch`, relation: `${Math.min(relations, 130)}px`};
  for (const [name, width] of Object.entries(widths)) byId("arcs").style.setProperty(`--${name}`, width);
}
