// The desk: corrections and verdicts go to the server, which writes them to the files at once. See reports/desk_server.py.

const DESK = D.desk;   // {read_only, search}, if the page is served by `treegauge work`
let version = 0, saved = 0, waiting_ = Promise.resolve();

async function ask(what, body = {}) {
  let reply;
  try {
    reply = await fetch(what, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
  } catch { throw new Error("the desk does not answer: was it closed?"); }
  const said = await reply.json();
  if (!reply.ok) throw Object.assign(new Error(said.error), {conflict: reply.status === 409});
  return said;
}
// One change after the other, each with the version that the one before has left.
function send(what, body, done) {
  waiting_ = waiting_.then(async () => {
    byId("desk-status").textContent = "saving …";
    try {
      const said = await ask(what, {...body, version});
      version = said.version;
      saved = said.steps;
      showState(said);
      done(said);
      byId("desk-status").textContent = saved ? `${count(saved, "change")} written, z takes the last one back` : "nothing is changed";
    } catch (error) {
      fixes.clear();
      showArc(shown);
      showFixCounts();
      byId("desk-status").textContent = "";
      byId("desk-conflict").hidden = !error.conflict;
      if (error.conflict) byId("desk-conflict-text").textContent = error.message;
      sayFix(`Not written: ${error.message}.`);
    }
  });
  return waiting_;
}

const codeOf = (column, label) => {
  const at = D.labels[column].indexOf(label);
  return at >= 0 ? at : D.labels[column].push(label) - 1;
};
// A sentence as it is in the file now, with its findings.
function replaceSentence(one) {
  one.words.forEach((word, k) => {
    const row = START[one.sentence] + k;
    D.head[row] = word.head;
    for (const column of ["deprel", "upos", ...OTHERS]) D[column][row] = codeOf(column, word[column]);
    FOUND.delete(row);
    fixes.delete(row);
    SUGGESTED.delete(row);
  });
  for (let k = ALL_FOUND.length - 1; k >= 0; k--) if (SENTENCE[ALL_FOUND[k].row] === one.sentence) ALL_FOUND.splice(k, 1);
  for (const found of one.found) {
    found.shared = found.shared.map(name => { const at = CHECK.names.indexOf(name); return at >= 0 ? at : CHECK.names.push(name) - 1; });
    ALL_FOUND.push(found);
    addFound(found);
  }
  for (const other of one.suggested) {
    const name = D.suggested.labels.indexOf(other.deprel);
    SUGGESTED.set(other.row, D.suggested.row.push(other.row) - 1);
    D.suggested.head.push(other.head);
    D.suggested.deprel.push(name >= 0 ? name : D.suggested.labels.push(other.deprel) - 1);
  }
  if (one.invalid) INVALID.set(one.sentence, one.invalid);
}
const INVALID = new Map();   // sentence -> what the validator says of it

function showState(said) {
  for (const one of said.sentences) replaceSentence(one);
  if (said.verdicts) {
    verdicts.clear();
    for (const [key, value] of Object.entries(said.verdicts)) verdicts.set(key, value);
  }
  const row = shown;
  D.order.splice(0, D.order.length, ...D.order.filter(one => FOUND.has(one)));
  PLACE.fill(-1);
  D.order.forEach((one, at) => { PLACE[one] = at; });
  orderAnew(row !== null && PLACE[row] >= 0 ? PLACE[row] : -1);
  showVerdictCounts();
  showFixCounts();
  refresh(row);
  if (row !== null && shown !== row) showArc(row);
}

const isReadOnly = () => DESK?.read_only && (sayFix("Nothing is written: the desk was opened with --read-only."), true);
function deskPut(changes) {
  if (isReadOnly()) return;
  for (const [row, fix] of changes) if (fix) fixes.set(row, fix); else fixes.delete(row);
  const corrections = [...changes].filter(([, fix]) => fix).map(([row]) => ({...asInFile(row), place: SENTENCE[row]}));
  fixesChanged();
  if (!corrections.length) return;
  send("correct", {corrections}, () => sayFix(`Written: ${count(corrections.length, "correction")}.`));
}
function deskVerdict(row) {
  const codes = acceptedOf(row);
  send("verdict", {place: SENTENCE[row], id: position(row), verdict: verdictOf(row), note: noteOf(row), codes}, () => {});
}
const deskUndo = () => isReadOnly() || send("undo", {}, said => {
  const [one] = said.sentences;
  if (one && shown !== null && one.sentence !== SENTENCE[shown]) showArc(START[one.sentence]);
  sayFix(`Undone: ${said.was_verdict ? "a verdict" : "a correction"}.`);
});

async function showDifference() {
  const said = await ask("difference");
  byId("difference-text").replaceChildren(...said.text.split("\n").map(line => element("span", {textContent: line + "\n",
    className: line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : line.startsWith("@@") ? "hunk" : ""})));
  if (!said.text) byId("difference-text").textContent = "The files are as they were committed.";
}

async function search(request) {
  const told = byId("find-told");
  try {
    const said = await ask("find", {request});
    told.textContent = (said.n === 1 ? "1 match" : `${count(said.n)} matches`) + (said.rows.length < said.n ? `, the first ${count(said.rows.length)} are listed` : "");
    byId("find-list").replaceChildren(...said.rows.map(rows => {
      const open = element("button", {type: "button"}, withContext(rows[0]));
      open.addEventListener("click", () => openWord(rows[0]));
      return element("li", {}, open, " ", element("span", {className: "facts", textContent: `${placeOf(rows[0])} · ${rows.map(form).join(" · ")}`}));
    }));
  } catch (error) { told.textContent = error.message; byId("find-list").replaceChildren(); }
}

async function openDesk() {
  const said = await ask("state");
  version = said.version;
  saved = said.steps;
  showState(said);
  refresh();
  byId("fix-counts").hidden = true;
  byId("desk-status").textContent = DESK.read_only ? "read only" : saved ? `${count(saved, "change")} written` : "nothing is changed";
}
if (DESK) {
  byId("desk-reload").addEventListener("click", () => location.reload());
  byId("difference-reload").addEventListener("click", showDifference);
  const form_ = byId("find-form");
  if (form_) form_.addEventListener("submit", event => { event.preventDefault(); search(form_.elements.request.value); });
}
