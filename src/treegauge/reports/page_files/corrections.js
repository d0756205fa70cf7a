// Corrections: another head, relation, tag, lemma, XPOS or FEATS of a word. They are kept in this browser under the page's title and
// a hash of its text, and written to and read from JSON; corrections/corrections.py says what is in it, applying.py what is refused.

const FIXES = `treegauge corrections ${D.title} ${D.text_hash}`;
const fixes = new Map();   // row -> {head, deprel, upos, lemma, xpos, feats}: what the word should have, null where that stays
let unfit = [];            // corrections, as in a file, of words that are not here as they were
let trial = null;          // [row, fix] that is looked at and not made
const steps = [];          // what was there before each step: [[row, fix], …]

const fixOf = row => trial && trial[0] === row ? trial[1] : fixes.get(row);
const headNow = row => fixOf(row)?.head ?? D.head[row];
const relationNow = row => fixOf(row)?.deprel ?? relation(row);
const tagNow = row => fixOf(row)?.upos ?? tag(row);
const valueNow = (name, row) => fixOf(row)?.[name] ?? valueOf(name, row);
const isMoved = row => headNow(row) !== D.head[row] || relationNow(row) !== relation(row);

// The likeliest other arc; a relation that stays keeps its subtype.
const SUGGESTED = new Map(!D.suggested ? [] : D.suggested.row.map((row, k) => [row, k]));
function suggestion(row) {
  const at = SUGGESTED.get(row), head = at === undefined ? -1 : D.suggested.head[at];
  if (head < 0) return null;
  const name = D.suggested.labels[D.suggested.deprel[at]];
  return {head, deprel: universal(relation(row)) === name ? relation(row) : name};
}
// What `t` makes of a word: what its first finding suggests, or the likeliest other arc.
function suggestedFix(row) {
  const first = CHECK && FOUND.get(row)?.[0], other = suggestion(row);
  if (first && first.fix) return first.fix;
  return other && (!CHECK || !first || first.code.startsWith("TG1")) ? other : null;
}
const suggestedText = (row, fix) => "head" in fix ? arcText(row, fix.head, fix.deprel, null) : Object.entries(fix).map(([name, value]) => `${name} ${value}`).join(", ");

// A fix without what the word has anyway; nothing where nothing is left.
function plainFix(row, fix) {
  const differs = (value, has) => value === has ? null : value ?? null;
  const plain = {head: differs(fix.head, D.head[row]), deprel: differs(fix.deprel, relation(row)), upos: differs(fix.upos, tag(row))};
  for (const name of OTHERS) plain[name] = differs(fix[name], valueOf(name, row));
  return Object.values(plain).some(value => value !== null) ? plain : undefined;
}

// Why a sentence would be no tree with some changes, a map from rows to fixes; nothing if it is one.
function noTree(s, changes) {
  const first = START[s], n = START[s + 1] - first;
  const head = Array.from({length: n}, (_, k) => (changes.has(first + k) ? changes.get(first + k) : fixes.get(first + k))?.head ?? D.head[first + k]);
  const seen = new Int32Array(n);
  for (let k = 0; k < n; k++) {
    if (!(head[k] >= 0 && head[k] <= n)) return `${head[k]} is no word of the sentence`;
    let word = k;
    for (; word >= 0 && !seen[word]; word = head[word] - 1) seen[word] = k + 1;
    if (word >= 0 && seen[word] === k + 1) return `“${form(first + word)}” would stand below itself: a circle`;
  }
  const roots = head.flatMap((h, k) => h ? [] : [`“${form(first + k)}”`]);
  const before = D.head.slice(first, first + n).filter(h => !h).length;
  return roots.length > Math.max(1, before) ? `there would be ${roots.length} roots: ${roots.join(", ")}` : "";
}

const nameOf = (id, number) => id ? "n" + id : "#" + number;
const HERE = new Map();   // what a sentence goes by -> the sentence, -1 if several go by it
D.sent_id.forEach((id, s) => { const name = nameOf(id, D.number[s]); HERE.set(name, HERE.has(name) ? -1 : s); });

// One step: made as a whole, or refused with a reason. hint: what could be done instead.
function change(changes, hint = "") {
  const made = new Map(changes.map(([row, fix]) => [row, plainFix(row, fix)])), s = SENTENCE[changes[0][0]];
  const shared = HERE.get(nameOf(D.sent_id[s], D.number[s])) < 0;
  const reason = shared ? `several sentences have the sent_id ${D.sent_id[s]}` : noTree(s, made);
  if (reason) {
    sayFix(`Refused: ${reason}.${shared ? "" : hint}`);
    return false;
  }
  put(made);
  return true;
}

function put(changes) {
  if (D.desk) return deskPut(changes);
  if (changes.size) steps.push([...changes.keys()].map(row => [row, fixes.get(row)]));
  for (const [row, fix] of changes) if (fix) fixes.set(row, fix); else fixes.delete(row);
  fixesChanged();
}

function fixesChanged(text = "") {
  if (!D.desk) try { localStorage.setItem(FIXES, fixesAsJson()); } catch { kept = false; }
  showFixCounts();
  drawList();
  showArc(shown);
  sayFix(text);
}

const othersNow = row => Object.fromEntries(OTHERS.map(name => [name, valueNow(name, row)]));
const fixNow = row => ({head: headNow(row), deprel: relationNow(row), upos: tagNow(row), ...othersNow(row)});
// The root has the relation `root`, where the treebank has such a relation.
const underHead = (row, head) => ({...fixNow(row), head, ...(head === 0 && D.choices.deprel.includes("root") ? {deprel: "root"} : {})});
const turnHint = (row, head) => head > 0 && headNow(headRow(row, head)) === position(row)
  ? ` Go to “${headForm(row, head)}” and press x: the two change places.`
  : head === 0 && headNow(row) > 0 && headNow(headRow(row, headNow(row))) === 0 ? ` x makes “${form(row)}” and the root change places.` : "";

// The suggested head may hang on the word itself: asked again, the two change places.
let asked = -1;   // the row of which that was said
function takeSuggestion() {
  const row = shown, other = suggestedFix(row), again = asked === row;
  asked = -1;
  if (!other) return sayFix("Nothing is suggested for this word.");
  if (!("head" in other)) {
    const [name] = Object.keys(other), has = {...fixNow(row)}[name] === other[name];
    return change([[row, {...fixNow(row), [name]: has ? {deprel: relation(row), upos: tag(row)}[name] ?? valueOf(name, row) : other[name]}]]);
  }
  const taken = headNow(row) === other.head && relationNow(row) === other.deprel;
  const below = headRow(row, other.head), turns = other.head > 0 && headNow(below) === position(row);
  const changes = [[row, taken ? {upos: tagNow(row), ...othersNow(row)} : {...fixNow(row), ...other}]];
  if (turns && again) changes.push([below, {...fixNow(below), head: headNow(row), deprel: relationNow(row)}]);
  const hint = turns ? ` t again: “${form(below)}” takes the place of “${form(row)}”.` : turnHint(row, other.head);
  if (!change(changes, hint) && turns) asked = row;
}

function chooseHead(row, head) {
  if (change([[row, underHead(row, head)]], turnHint(row, head)) && head && relationNow(row) === "root") KEYS.r();
}

// A word and its head change places: the word takes the head's arc, the head hangs on the word.
function turnRound() {
  const row = shown, head = headNow(row), above = headRow(row, head);
  if (!head) return sayFix("The root has no head to change places with.");
  change([[row, {...fixNow(row), head: headNow(above), deprel: relationNow(above)}],
    [above, {...fixNow(above), head: position(row), deprel: relationNow(row)}]]);
}

function undoFix() {
  if (D.desk) return deskUndo();
  const step = steps.pop();
  if (!step) return sayFix("Nothing to undo.");
  for (const [row, fix] of step) if (fix) fixes.set(row, fix); else fixes.delete(row);
  const [row] = step[0], at = rows.indexOf(row);
  if (row !== shown && at >= 0) select(at);
  else if (SENTENCE[row] !== SENTENCE[shown]) showArc(row);
  fixesChanged(`Undone: ${form(row)}.`);
}

const sayFix = text => { byId("fix-message").textContent = text; };
const arcText = (row, head, deprel, upos) => `${head === 0 ? (deprel === "root" ? "the root" : `${deprel}, the root`) : `${deprel} of ${headForm(row, head)}`}${upos === null ? "" : ", " + upos}`;
const fixText = row => `${arcText(row, D.head[row], relation(row), fixOf(row)?.upos ? tag(row) : null)} → `
  + arcText(row, headNow(row), relationNow(row), fixOf(row)?.upos ?? null)
  + OTHERS.filter(name => fixOf(row)?.[name] != null).map(name => `, ${name} ${valueOf(name, row)} → ${fixOf(row)[name]}`).join("");

// A list to choose from: arrows or letters, Enter, Esc. options: [value, text]; onMove is told what is looked at.
let picking = "";   // which list is open
// free: makes a value of what is typed, which can be chosen, too; nothing where it is none.
function openPicker(kind, title, options, now, onMove, onPick, free = () => null) {
  const input = byId("picker-text"), place = byId("picker-list");
  let found = options, active = Math.max(0, options.findIndex(([value]) => value === now));
  const draw = () => {
    const from = Math.max(0, active - 40);
    place.replaceChildren(...found.slice(from, active + 41).map(([value, text], k) => {
      const item = element("div", {id: `pick-${from + k}`, textContent: text, dir: "auto"});
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", from + k === active);
      item.addEventListener("mousedown", event => { event.preventDefault(); end(value); });
      return item;
    }));
    input.setAttribute("aria-activedescendant", found.length ? `pick-${active}` : "");
    const item = byId(`pick-${active}`);
    if (item) place.scrollTop = item.offsetTop - item.offsetHeight;   // whole rows: the one before it is the first
    if (found.length) onMove(found[active][0]); else sayFix("Nothing in the list has this text.");
  };
  const end = value => {
    picking = "";
    trial = null;
    byId("picker").hidden = true;
    focusList();
    showArc(shown);
    sayFix("");
    if (value !== undefined) onPick(value);
  };
  picking = kind;
  byId("picker-title").textContent = title;
  byId("picker").hidden = false;
  input.value = "";
  input.oninput = () => {
    const low = input.value.trim().toLowerCase();
    const is = ([value]) => String(value).toLowerCase() === low, at = ([, text]) => text.toLowerCase().indexOf(low);
    found = options.filter(one => is(one) || at(one) >= 0);
    if (low) found.sort((a, b) => is(b) - is(a) || (at(a) > 0) - (at(b) > 0));
    const typed = oneLine(input.value);
    const made = typed ? free(typed) : null;
    if (made && !options.some(([value]) => value === made)) found = [[made, typed], ...found];
    active = low ? 0 : Math.max(0, options.findIndex(([value]) => value === now));
    draw();
  };
  input.onkeydown = event => {
    const sideways = input.value ? {} : {ArrowRight: 1, ArrowLeft: -1};   // else they move in the text
    const step = {ArrowDown: 1, ArrowUp: -1, ...sideways}[event.key];
    if (!step && event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (step) { active = Math.min(Math.max(active + step, 0), Math.max(found.length - 1, 0)); draw(); }
    else if (event.key === "Escape") end();
    else if (found.length) end(found[active][0]);
  };
  input.onblur = () => { if (picking === kind) end(); };
  input.focus();
  draw();
}

function tryFix(row, fix) {
  trial = [row, plainFix(row, fix)];
  const reason = noTree(SENTENCE[row], new Map([trial]));
  showArc(row);
  sayFix(reason ? `Not possible: ${reason}.` : "");
}

function pickHead() {
  const row = shown, words = [[0, "0 ROOT"]];
  for (let k = 1; k <= sentenceLength(row); k++) if (k !== position(row)) words.push([k, `${k} ${form(headRow(row, k))}`]);
  openPicker("head", `Head of “${form(row)}”`, words, headNow(row), head => tryFix(row, underHead(row, head)), head => chooseHead(row, head));
}
const pickLabel = (name, title, now) => () => {
  const row = shown;
  openPicker(name, `${title} of “${form(row)}”`, D.choices[name].map(label => [label, label]), now(row),
    label => tryFix(row, {...fixNow(row), [name]: label}), label => change([[row, {...fixNow(row), [name]: label}]]));
};
const pickRelation = pickLabel("deprel", "Relation", relationNow);
// It begins at the tag that the word would rather have, where its own is in doubt.
const pickTag = pickLabel("upos", "Tag", row => fixes.get(row)?.upos || !TAG_INSTEAD.has(row) ? tagNow(row) : TAG_INSTEAD.get(row));

const pickValue = (name, title, options, free) => () => {
  const row = shown, now = fixes.get(row)?.[name] ?? VALUE_INSTEAD.get(name)?.get(row) ?? valueNow(name, row);
  const set = value => ({...fixNow(row), [name]: value}), listed = [...new Set([now, valueNow(name, row), ...options(row)])];
  openPicker(name, `${title} of “${form(row)}”`, listed.map(value => [value, value]), now,
    value => tryFix(row, set(value)), value => change([[row, set(value)]]), typed => free.test(typed) ? typed : null);
};
const pickLemma = pickValue("lemma", "Lemma", row => [form(row).toLowerCase(), form(row)], /./);
const pickXpos = pickValue("xpos", "XPOS", () => D.choices.xpos, /^\S+$/);

// FEATS with a feature set, or without it where it is there; names are sorted without case.
function withFeature(feats, feature) {
  const has = new Map(feats === "_" ? [] : feats.split("|").map(one => [one.split("=")[0], one])), [name] = feature.split("=");
  if (has.get(name) === feature) has.delete(name); else has.set(name, feature);
  const sorted = [...has.keys()].sort((a, b) => a.toLowerCase() < b.toLowerCase() ? -1 : 1);
  return sorted.map(key => has.get(key)).join("|") || "_";
}
// One feature after the other, of those that the treebank has with this tag; the first choice is what is likelier.
function pickFeature() {
  const row = shown, feats = valueNow("feats", row), has = feats.split("|"), rather = VALUE_INSTEAD.get("feats")?.get(row);
  const known = D.features[tagNow(row)] ?? [];
  const options = known.map(one => [withFeature(feats, one), (has.includes(one) ? "✓ without " : "") + one]);
  if (rather && rather !== feats) options.unshift([rather, `all of ${rather}`]);
  const set = value => ({...fixNow(row), feats: value});
  openPicker("feats", `Features of “${form(row)}”: ${feats}`, options, rather ?? feats,
    value => tryFix(row, set(value)), value => change([[row, set(value)]]),
    typed => /^[A-Z0-9][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(,[A-Z0-9][A-Za-z0-9]*)*$/.test(typed) ? withFeature(feats, typed) : null);
}
function pickSubtype() {
  const row = shown, base = universal(relationNow(row));
  const options = D.choices.deprel.filter(name => universal(name) === base);
  const now = fixes.get(row)?.deprel ?? VALUE_INSTEAD.get("subtype")?.get(row) ?? relationNow(row);
  const listed = [...new Set([now, ...options, base])].filter(name => universal(name) === base);
  openPicker("deprel", `Subtype of “${form(row)}”`, listed.map(name => [name, name]), now,
    deprel => tryFix(row, {...fixNow(row), deprel}), deprel => change([[row, {...fixNow(row), deprel}]]),
    typed => /^[^\s|]+$/.test(typed) ? universal(typed) === base ? typed : `${base}:${typed}` : null);
}

function asInFile(row) {
  const fix = fixes.get(row), others = {};
  for (const name of OTHERS) if (fix[name] != null) Object.assign(others, {[name]: valueOf(name, row), [`new_${name}`]: fix[name]});
  return {sent_id: sentId(row), sentence: D.number[SENTENCE[row]], id: position(row), form: form(row), head: D.head[row],
    deprel: relation(row), upos: tag(row), new_head: fix.head, new_deprel: fix.deprel, new_upos: fix.upos, ...others, note: noteOf(row)};
}
function fixesAsJson() {
  const corrections = [...[...fixes.keys()].sort((a, b) => a - b).map(asInFile), ...unfit];
  return JSON.stringify({title: D.title, treegauge: D.treegauge, corrections}, null, 1) + "\n";
}

const FIELDS = ["sent_id", "sentence", "id", "form", "head", "deprel", "upos", "new_head", "new_deprel", "new_upos", "note",
  "lemma", "xpos", "feats", "new_lemma", "new_xpos", "new_feats"];
// Whatever a file or the browser's store may hold: what is wrong with a correction, or nothing.
function wrongWith(one) {
  if (typeof one !== "object" || one === null || Array.isArray(one)) return "expected an object";
  const whole = (value, least) => Number.isSafeInteger(value) && value >= least;
  const label = {new_deprel: /^[^\s\p{C}|:]+(:[^\s\p{C}|:]+)*$/u, new_upos: /^[^\s\p{C}|]+$/u, new_lemma: /^\S(.*\S)?$/u,
    new_xpos: /^[^\s\p{C}]+$/u, new_feats: /^(_|[^\s|=]+=[^\s|=]+(\|[^\s|=]+=[^\s|=]+)*)$/u};   // as `apply` checks them
  for (const name of ["form", "deprel", "upos"]) if (typeof one[name] !== "string") return `${name}; expected a text`;
  for (const name of ["sent_id", "note"]) if (typeof (one[name] ?? "") !== "string") return `${name}; expected a text`;
  for (const name in one) if (!FIELDS.includes(name)) return `${name} is not known`;
  if (!whole(one.id, 1) || !whole(one.head, 0)) return "id or head; expected whole numbers";
  if (!one.sent_id && !whole(one.sentence, 1)) return "sentence; expected a whole number";
  if (one.new_head != null && !whole(one.new_head, 0)) return "new_head; expected a whole number";
  for (const name in label) if (one[name] != null && !(typeof one[name] === "string" && label[name].test(one[name]))) return `${name}; expected a label`;
  for (const name of ["lemma", "xpos", "feats"]) if (one[`new_${name}`] != null && typeof one[name] !== "string") return `${name}; expected a text`;
  return one.new_head == null && Object.keys(label).every(name => one[name] == null) ? "nothing changes" : "";
}

// The row that a correction is about, -1 if its word is not here as it was.
function rowOf(one) {
  const s = HERE.get(nameOf(one.sent_id, one.sentence)) ?? -1, row = s < 0 ? N : START[s] + one.id - 1;
  if (s < 0 || row >= START[s + 1] || (one.new_head ?? 0) > START[s + 1] - START[s] || one.new_head === one.id) return -1;
  for (const name of ["lemma", "xpos", "feats"])
    if (one[`new_${name}`] != null && (!OTHERS.includes(name) || valueOf(name, row) !== one[name])) return -1;
  return form(row) === one.form && D.head[row] === one.head && relation(row) === one.deprel && tag(row) === one.upos ? row : -1;
}

// Takes corrections in; those of a sentence are taken together. How many there are; throws on what it does not understand.
function readFixes(text) {
  const content = JSON.parse(text), list = content && content.corrections;
  if (!Array.isArray(list)) throw new Error("expected corrections as a page exports them");
  list.forEach((one, k) => { const wrong = wrongWith(one); if (wrong) throw new Error(`correction ${k + 1}: ${wrong}`); });
  const bySentence = new Map(), taken = new Map();
  for (const one of list) {
    const row = rowOf(one), s = row < 0 ? -1 : SENTENCE[row];
    if (!bySentence.has(s)) bySentence.set(s, []);
    bySentence.get(s).push([row, one]);
  }
  const left = [];
  for (const [s, found] of bySentence) {
    const changes = new Map(found.map(([row, one]) => [row, s < 0 ? undefined : plainFix(row, {head: one.new_head, deprel: one.new_deprel, upos: one.new_upos,
      lemma: one.new_lemma, xpos: one.new_xpos, feats: one.new_feats})]));
    if (s < 0 || noTree(s, changes)) left.push(...found.map(([, one]) => one));
    else for (const [row, fix] of changes) taken.set(row, fix);
  }
  const known = new Set(unfit.map(one => JSON.stringify(one)));
  unfit = unfit.concat(left.filter(one => !known.has(JSON.stringify(one))));
  put(taken);
  return list.length;
}

function loadFixes() {
  let stored = null;
  if (D.desk) return;
  try { stored = localStorage.getItem(FIXES); } catch { kept = false; }
  try { if (stored) readFixes(stored); } catch { /* no corrections: whatever it is, it is not ours */ }
  steps.length = 0;
}

function showFixCounts() {
  const others = storedElsewhere(FIXES, stored => stored.corrections.length);
  byId("fix-counts").textContent = count(fixes.size, "correction") + (unfit.length ? `, ${unfit.length} that do not fit here` : "")
    + (others ? ` (of another text with this title, this browser keeps ${count(others, "correction")}, which do not fit here)` : "");
  byId("fix-total").textContent = byId("fix-counts").textContent;
  if (!byId("corrections").hidden) listFixes();
}

// A word that may not be in the list of arcs.
function openWord(row) {
  if (PLACE[row] >= 0) return showWord(row);
  openTab("arcs");
  showArc(row);
  focusList();
}

// The corrections as a list; at most so many are drawn. How many have the text.
const LISTED = 500;
let wantedFixes = "";
function listFixes(text = wantedFixes) {
  wantedFixes = text;
  const line = (words, said, show, remove) => {
    const back = element("button", {type: "button", textContent: "Take back"});
    back.addEventListener("click", remove);
    const name = element(show ? "button" : "span", {}, element("bdi", {textContent: words}));
    if (show) { name.type = "button"; name.addEventListener("click", show); }
    return [`${words} ${said}`.toLowerCase(), () => element("li", {}, name, " ", element("span", {textContent: said}), " ", back)];
  };
  const lines = [...fixes.keys()].sort((a, b) => a - b).map(row => line(form(row), `${fixText(row)} · ${sentenceName(row)}, word ${position(row)}`,
    () => openWord(row),
    () => change([[row, {}]]) || openTab("arcs")));
  for (const one of unfit) lines.push(line(one.form, `does not fit here · sentence ${one.sent_id || one.sentence}, word ${one.id}`, null,
    () => { unfit = unfit.filter(other => other !== one); fixesChanged(); }));
  const found = lines.filter(([searched]) => searched.includes(text));
  byId("fix-list").replaceChildren(...found.slice(0, LISTED).map(([, made]) => made()));
  return found.length;
}

function exportFixes() { download(fixesAsJson(), "corrections.json", "application/json"); }

async function importFixes(file) {
  let said = "";
  try {
    said = `${count(readFixes(await file.text()), "correction")} read from ${file.name}`;
  } catch (error) {
    said = `${file.name}: ${error.message}; nothing was read`;
  }
  byId("fix-file").textContent = said;
}
