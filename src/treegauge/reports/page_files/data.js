// What the page is about: columns of words, and what follows from them.

const D = JSON.parse(document.getElementById("data").textContent);
const N = D.head.length, START = D.start;
const SENTENCE = new Int32Array(N);   // row -> sentence
for (let s = 0; s + 1 < START.length; s++) SENTENCE.fill(s, START[s], START[s + 1]);
const PLACE = new Int32Array(N).fill(-1);   // row -> place in the suspicious order, -1: not listed
D.order.forEach((row, place) => { PLACE[row] = place; });
const GOLD = byRow(D.gold), OTHER = byRow(D.other);
const NOT_IN_GOLD = new Set(D.gold ? D.gold.left_out : []);   // rows of words that gold does not have
const RIGHT_THERE = new Set(D.other && D.other.right ? D.other.right : []);   // rows whose arc the other parse has right
const TWO_PARSERS = Boolean(D.parser_table);   // whether there is gold and another parse
const RANK_THERE = D.other ? D.other.rank : null;

// rows whose tag is among the suspicious ones -> what their word would rather have, in words
const TAG_DOUBTS = new Map(!D.tag_table ? [] : D.tag_table.rows.map((row, k) => [D.tag_table.place[k],
  `tagged ${row[1]} (probability ${chance(row[2])}), rather ${row[3]} (${chance(row[4])})`]));

// the same rows -> the tag that the word would rather have
const TAG_INSTEAD = new Map(!D.tag_table ? [] : D.tag_table.rows.map((row, k) => [D.tag_table.place[k], row[3]]));

// column -> rows whose value is among the suspicious ones -> what is said of it, and the value that the word would rather have
const VALUE_DOUBTS = new Map(), VALUE_INSTEAD = new Map();
for (const [name, table] of Object.entries(D.column_tables)) {
  VALUE_DOUBTS.set(name, new Map(table.rows.map((row, k) => [table.place[k],
    `${table.columns[1][0]} ${row[1]} (probability ${chance(row[2])}), rather ${row[3]} (${chance(row[4])})`])));
  VALUE_INSTEAD.set(name, new Map(table.place.map((row, k) => [row, table.rather[k]])));
}
const OTHERS = ["lemma", "xpos", "feats"].filter(name => D[name]);   // columns beside arc and tag that the page has

// rows whose arc differs on the other side -> {head, label}
function byRow(side) {
  if (!side) return null;
  return new Map(side.row.map((row, k) => [row, {head: side.head[k], label: D.labels.deprel[side.deprel[k]]}]));
}

const form = row => D.labels.form[D.form[row]];
const tag = row => D.labels.upos[D.upos[row]];
const valueOf = (name, row) => D.labels[name][D[name][row]];
const relation = row => D.labels.deprel[D.deprel[row]];
// the relation that gold has for a word, "" if gold does not have the word
const goldRelation = row => NOT_IN_GOLD.has(row) ? "" : GOLD.has(row) ? GOLD.get(row).label : relation(row);
const universal = name => name.split(":")[0];
const position = row => row - START[SENTENCE[row]] + 1;
const sentenceLength = row => START[SENTENCE[row] + 1] - START[SENTENCE[row]];
const arcLength = row => D.head[row] ? Math.abs(position(row) - D.head[row]) : 0;
const headRow = (row, head = D.head[row]) => head ? START[SENTENCE[row]] + head - 1 : -1;
// head -1: the word that the other side has as head is no word of this sentence
const headForm = (row, head = D.head[row]) => head < 0 ? "a word that is not in this sentence"
  : head ? form(headRow(row, head)) : "ROOT";
const rank = row => PLACE[row] + 1;
const bin = row => Math.floor((D.n_ranked - rank(row)) * D.bins / D.n_ranked) + 1;
const moved = row => RANK_THERE[row] === null ? 0 : rank(row) - RANK_THERE[row];
const score = row => CHECK ? FOUND.has(row) ? `${Math.round(100 * chanceOfChange(row))} %` : "–" : D.score[row] === null ? "−∞" : decimal(D.score[row] / 100);
const sentId = row => D.sent_id[SENTENCE[row]];
const sentenceName = row => `sentence ${D.number[SENTENCE[row]]}` + (sentId(row) ? ` (${sentId(row)})` : "");

const TOKENS = new Map();   // sentence -> its multiword tokens
for (const [s, first, last, written] of D.tokens) {
  if (!TOKENS.has(s)) TOKENS.set(s, []);
  TOKENS.get(s).push({first, last, form: written});
}

// The sentence as it is written: pieces {text, rows}, a space where one is.
function pieces(s) {
  const found = [], tokens = TOKENS.get(s) || [];
  for (let row = START[s]; row < START[s + 1]; row++) {
    const at = row - START[s] + 1, token = tokens.find(t => t.first === at);
    const last = token ? START[s] + token.last - 1 : row;
    const rows = [];
    for (let r = row; r <= last; r++) rows.push(r);
    found.push({text: token ? token.form : form(row), rows, space: D.tight[last] !== "1"});
    row = last;
  }
  return found;
}

// Lower case, for the search; made when first asked for. Written forms and words both count.
const texts = [];
function searchable(s) {
  if (texts[s] === undefined) {
    let written = "";
    for (const piece of pieces(s)) written += piece.text + (piece.space ? " " : "");
    for (const token of TOKENS.get(s) || [])
      for (let k = token.first; k <= token.last; k++) written += "\n" + form(START[s] + k - 1);
    texts[s] = written.toLowerCase();
  }
  return texts[s];
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
const byId = id => document.getElementById(id);
function count(n, what) {
  const number = n.toLocaleString("en");
  return what === undefined ? number : `${number} ${what}${n === 1 ? "" : "s"}`;
}
const TWO_DECIMALS = new Intl.NumberFormat("en", {minimumFractionDigits: 2, maximumFractionDigits: 2,
  roundingMode: "halfEven"});   // as Python rounds
const decimal = value => TWO_DECIMALS.format(value).replace(/^-0\.00$/, "0.00").replace("-", "−");
// A probability as people read it: two digits, or that it is next to nothing; see explanations.py.
function chance(p) {
  return p < 0.0001 ? "below 0.0001" : p.toFixed(Math.max(1 - Math.floor(Math.log10(p)), 0));
}
const percent = share => share === null ? "–" : `${decimal(100 * share)} %`;
