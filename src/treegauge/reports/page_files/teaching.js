// What verdicts teach: the findings that are like those that were judged move up or down. See upkeep/teaching.py.

const CHECK = D.check;   // the findings of `check`, if the page is of one
const FOUND = new Map();   // row -> its findings, the likeliest to be changed first
const ALL_FOUND = CHECK ? CHECK.found : [];
function addFound(one) {
  one.now = one.odds;
  if (!FOUND.has(one.row)) FOUND.set(one.row, []);
  FOUND.get(one.row).push(one);
}
ALL_FOUND.forEach(addFound);
const chanceOfChange = row => 1 / (1 + Math.exp(-Math.max(...FOUND.get(row).map(one => one.now))));

// The log odds after verdicts: for each name that findings share, the change that makes the verdicts most probable.
function teach() {
  if (!CHECK) return;
  const judged = ALL_FOUND.filter(one => verdictOf(one.row) === "accept" || verdictOf(one.row) === "error" || fixes.has(one.row));
  const now = judged.map(one => one.odds), right = judged.map(one => verdictOf(one.row) === "accept" ? 0 : 1);
  const members = new Map(), delta = new Map();
  judged.forEach((one, k) => one.shared.forEach(name => {
    if (!members.has(name)) { members.set(name, []); delta.set(name, 0); }
    members.get(name).push(k);
  }));
  for (let sweep = 0; sweep < CHECK.sweeps; sweep++)
    for (const [name, places] of members) {
      const precision = 1 / CHECK.variance[CHECK.names[name][0]];
      let missing = 0, bend = 0;
      for (const k of places) {
        const p = 1 / (1 + Math.exp(-now[k]));
        missing += right[k] - p;
        bend += p * (1 - p);
      }
      const step = (missing - precision * delta.get(name)) / (bend + precision);
      delta.set(name, delta.get(name) + step);
      for (const k of places) now[k] += step;
    }
  for (const one of ALL_FOUND) one.now = one.odds + one.shared.reduce((sum, name) => sum + (delta.get(name) ?? 0), 0);
}

// The words behind a place of the list in their new order; those before it were looked at, and stay.
function orderAnew(after) {
  if (!CHECK) return;
  teach();
  const kept = D.order.slice(0, after + 1), seen = new Set(kept), times = new Map();
  const rest = ALL_FOUND.filter(one => !seen.has(one.row)).sort((a, b) => b.now - a.now || a.row - b.row || (a.code < b.code ? -1 : 1));
  for (const one of rest) {
    const s = SENTENCE[one.row], n = times.get(s) ?? 0;
    one.turn = Math.floor(n / CHECK.per_sentence);
    times.set(s, n + 1);
  }
  rest.sort((a, b) => a.turn - b.turn);   // a stable sort
  D.order.splice(0, D.order.length, ...kept, ...new Set(rest.map(one => one.row)));
  D.order.forEach((row, at) => { PLACE[row] = at; });
}
