// Verdicts: kept in this browser under the page's title and a hash of its text, written to and read from TSV.
// Key: sent_id (or the sentence's number where it has none), id, head, deprel; see ranking/verdicts.py.

const STORE = `treegauge verdicts ${D.title} ${D.text_hash}`;
const COLUMNS = ["sent_id", "sentence", "id", "form", "head", "deprel", "upos", "verdict", "note", "code", "value"];
const VERDICTS = {accept: "✓", error: "✗", unsure: "?"};

const oneLine = text => text.replace(/\s+/g, " ").trim();
function keyOf(row) {
  const name = sentId(row).replace(/\t/g, " ");
  return [name, name ? "" : D.number[SENTENCE[row]], position(row), D.head[row], relation(row)].join("\t");
}

const NAMED = new Map(D.sent_id.map((id, s) => [id ? id.replace(/\t/g, " ") + "\t" : "\t" + D.number[s], s]));
// The row of the arc that a key is about, -1 if it is not in this page.
function arcOf(key) {
  const [name, number, id, head, deprel] = key.split("\t"), s = NAMED.get(`${name}\t${number}`);
  const row = s === undefined ? N : START[s] + Number(id) - 1;
  return row < START[s + 1] && D.head[row] === Number(head) && relation(row) === deprel ? row : -1;
}
// Whether a verdict with this word is about the arc of a row: another text may have the same arc on another word.
const isOn = (row, word) => row >= 0 && (!word || oneLine(word) === oneLine(form(row)));

const verdicts = new Map(Object.entries(D.verdicts));   // key -> [verdict, note, form]
let kept = true;
// Anything may be in the browser's store: what is no verdict is left out.
const isVerdict = (key, value) => key.split("\t").length === 5 && Array.isArray(value) && value.length === 3
  && value.every(part => typeof part === "string") && (value[0] === "" || Object.hasOwn(VERDICTS, value[0]));
function loadVerdicts() {
  let stored = null;
  if (D.desk) return;
  try { stored = localStorage.getItem(STORE); } catch { kept = false; }
  try { stored = JSON.parse(stored || "{}"); } catch { stored = {}; }
  for (const [key, value] of Object.entries(stored || {})) if (isVerdict(key, value)) verdicts.set(key, value);
}
// How many entries this browser keeps for other texts under the same title; an entry of no known shape counts 1.
function storedElsewhere(own, entries) {
  const name = own.slice(0, own.length - D.text_hash.length);   // with the space before the hash
  let n = 0;
  try {
    for (let k = 0; k < localStorage.length; k++) {
      const key = localStorage.key(k), hash = key.slice(name.length);
      if (key === own || !(key === name.trimEnd() || (key.startsWith(name) && /^[0-9a-f]{16}$/.test(hash)))) continue;
      try { n += entries(JSON.parse(localStorage.getItem(key))); } catch { n++; }
    }
  } catch { kept = false; }
  return n;
}
function saveVerdicts() {
  if (!D.desk) try { localStorage.setItem(STORE, JSON.stringify(Object.fromEntries(verdicts))); } catch { kept = false; }
  showVerdictCounts();
}

function entryOf(row) {
  const entry = verdicts.get(keyOf(row));
  return entry && isOn(row, entry[2]) ? entry : ["", "", ""];
}
// What a verdict on a word is about: its arc and tag; in `check`, what its findings are about.
const acceptedOf = row => !CHECK || !FOUND.has(row) ? [["", ""]]
  : [...new Map(FOUND.get(row).map(one => [one.accepted.join("\t"), one.accepted])).values()];
const verdictOf = row => entryOf(row)[0];
const noteOf = row => entryOf(row)[1];
// An empty verdict and note take the entry back, also where it came with the page.
function setVerdict(row, verdict, note) {
  verdicts.set(keyOf(row), [verdict, note, form(row)]);
  saveVerdicts();
  if (D.desk) deskVerdict(row);
}

function verdictsAsTsv() {
  const lines = [COLUMNS.join("\t")];
  for (const [key, [verdict, note, word]] of verdicts) {
    if (!verdict && !note) continue;
    const [name, number, id, head, deprel] = key.split("\t"), row = arcOf(key), upos = isOn(row, word) ? tag(row) : "";
    const about = isOn(row, word) ? acceptedOf(row) : [["", ""]];
    for (const [code, value] of about) lines.push([name, number, id, oneLine(word), head, deprel, upos, verdict, oneLine(note), code, value].join("\t"));
  }
  return lines.join("\n") + "\n";
}

// How many verdicts a TSV text holds; they replace those of the same arcs. Throws on what it does not understand.
function readVerdicts(text) {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/), header = lines[0].split("\t"), read = [];
  for (const name of ["id", "head", "deprel", "verdict"])
    if (!header.includes(name)) throw new Error(`line 1: no column ${name}; expected ${COLUMNS.join(", ")}`);
  lines.forEach((line, k) => {
    if (k === 0 || !line.trim() || line === lines[0]) return;
    const values = line.split("\t");
    if (values.length !== header.length)
      throw new Error(`line ${k + 1}: ${values.length} columns; expected ${header.length}`);
    const row = Object.fromEntries(header.map((name, c) => [name, values[c]]));
    if (row.verdict ? !Object.hasOwn(VERDICTS, row.verdict) : !row.note)
      throw new Error(`line ${k + 1}: verdict “${row.verdict}”; expected ${Object.keys(VERDICTS).join(", ")}`);
    const key = [row.sent_id || "", row.sent_id ? "" : row.sentence, row.id, row.head, row.deprel].join("\t");
    read.push([key, [row.verdict, row.note || "", row.form || ""]]);
  });
  for (const [key, value] of read) verdicts.set(key, value);
  saveVerdicts();
  return read.length;
}

function showVerdictCounts() {
  const n = {accept: 0, error: 0, unsure: 0, elsewhere: 0};
  for (const [key, [verdict, , word]] of verdicts) if (verdict) n[isOn(arcOf(key), word) ? verdict : "elsewhere"]++;
  const others = storedElsewhere(STORE, stored => Object.values(stored).filter(value => value[0]).length);
  byId("verdict-counts").textContent = `${n.accept} accepted, ${count(n.error, "error")}, ${n.unsure} unsure`
    + (n.elsewhere ? `, ${n.elsewhere} about arcs that are not here` : "")
    + (others ? ` (of another text with this title, this browser keeps ${count(others, "verdict")}, which do not fit here)` : "")
    + (kept ? "" : " (this browser keeps nothing: export before you leave)");
}

function exportVerdicts() { download(verdictsAsTsv(), "verdicts.tsv", "text/tab-separated-values"); }

// A file to keep, named by the title of the page.
function download(text, ending, type) {
  const link = element("a", {download: `${D.title.replace(/\.conllu.*$/, "").replace(/[/\\:*?"<>|\s]+/g, "-")}.${ending}`});
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function importVerdicts(file) {
  try {
    byId("message").textContent = `${count(readVerdicts(await file.text()), "verdict")} read from ${file.name}`;
  } catch (error) {
    byId("message").textContent = `${file.name}: ${error.message}; nothing was read`;
  }
  refresh();
}
