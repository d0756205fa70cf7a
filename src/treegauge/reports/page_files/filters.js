// Which arcs are listed, and in which order.

const ORDERS = {
  suspicious: [CHECK ? "likeliest to be changed first" : "most suspicious first", null],
  reliable: ["most reliable first", rows => rows.reverse()],
  corpus: ["as in the corpus", rows => rows.sort((a, b) => a - b)],
  longest: ["longest first", rows => rows.sort((a, b) => arcLength(b) - arcLength(a) || PLACE[a] - PLACE[b])],
};
if (RANK_THERE)
  ORDERS.moved = ["moved most first", rows => rows.sort((a, b) => Math.abs(moved(b)) - Math.abs(moved(a)))];

// field of the form -> whether an arc passes, given what is chosen or typed
const TESTS = {
  relation: wanted => row => relation(row) === wanted || universal(relation(row)) === wanted,
  tag: wanted => row => tag(row) === wanted,
  head_tag: wanted => row => (D.head[row] ? tag(headRow(row)) : "ROOT") === wanted,
  bin: wanted => row => bin(row) === Number(wanted),
  direction: wanted => row => direction(row) === wanted,
  least: wanted => row => arcLength(row) >= Number(wanted),
  most: wanted => row => arcLength(row) <= Number(wanted),
  least_words: wanted => row => sentenceLength(row) >= Number(wanted),
  most_words: wanted => row => sentenceLength(row) <= Number(wanted),
  sent_id: wanted => {
    const low = wanted.toLowerCase(), passes = D.sent_id.map(id => id.toLowerCase().includes(low));
    return row => passes[SENTENCE[row]] || String(D.number[SENTENCE[row]]) === wanted;
  },
  search: wanted => {
    const low = wanted.toLowerCase(), passes = D.sent_id.map((_, s) => searchable(s).includes(low));
    return row => passes[SENTENCE[row]];
  },
  code: wanted => row => FOUND.get(row).some(one => one.code === wanted),
  verdict: wanted => wanted === "corrected" ? row => fixes.has(row) : row => (verdictOf(row) || "none") === wanted,
  gold: wanted => row => !NOT_IN_GOLD.has(row) && GOLD.has(row) === (wanted === "wrong"),
  gold_relation: wanted => row => universal(goldRelation(row)) === wanted,
  other: wanted => row => OTHER.has(row) === (wanted === "different"),
  versus: wanted => row => !NOT_IN_GOLD.has(row) && whoIsRight(row) === wanted,
};

const whoIsRight = row =>
  GOLD.has(row) ? RIGHT_THERE.has(row) ? "there" : "neither" : RIGHT_THERE.has(row) ? "both" : "here";
const direction = row => !D.head[row] ? "root" : D.head[row] > position(row) ? "after" : "before";

function chosenRows(fields) {
  const tests = Object.entries(TESTS).filter(([name]) => fields[name]).map(([name, make]) => make(fields[name]));
  const rows = D.order.filter(row => tests.every(passes => passes(row)));
  const sort = ORDERS[fields.order || "suspicious"][1];
  if (sort) sort(rows);
  return rows;
}

function fillFilters(form) {
  const options = (name, values) => {
    for (const [value, text] of values) form.elements[name].append(element("option", {value, textContent: text}));
  };
  const used = new Set(D.order.map(relation)), names = new Set();
  for (const name of used) names.add(universal(name)).add(name);
  options("relation", [...names].sort().map(name => [name, name]));
  const tags = [...new Set(D.order.map(tag))].sort();
  options("tag", tags.map(name => [name, name]));
  options("head_tag", ["ROOT", ...tags].map(name => [name, name]));
  if (GOLD) options("gold_relation", [...new Set(D.order.map(row => universal(goldRelation(row))))].filter(name => name).sort()
    .map(name => [name, name]));
  if (CHECK) options("code", Object.entries(CHECK.kinds).sort().map(([code, name]) => [code, `${code} ${name}`]));
  else options("bin", Array.from({length: D.bins}, (_, k) => [D.bins - k, `bin ${D.bins - k}`]));
  options("order", Object.entries(ORDERS).map(([name, [text]]) => [name, text]));
}
