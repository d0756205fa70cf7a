// Wiring: filters to list, keys to verdicts, tabs, print.

const filters = byId("filters");
const fieldsOf = form => Object.fromEntries(new FormData(form));
function refresh(keep) { showRows(chosenRows(fieldsOf(filters)), keep); }

function filterBy(name, value) {
  filters.reset();
  filters.elements[name].value = value;
  refresh();
  openTab("arcs");
  focusList();
}

function showWord(row) {
  filters.reset();
  refresh(row);
  openTab("arcs");
  focusList();
}

function judge(verdict) {
  if (shown === null || isReadOnly()) return;
  const row = shown, again = verdictOf(row) === verdict;
  setVerdict(row, again ? "" : verdict, noteOf(row));
  learn(row);
  select(again ? current : current + 1);
}

// After a verdict or a correction, the words behind this one are ordered anew.
function learn(row) {
  if (!CHECK || DESK || PLACE[row] < 0 || filters.elements.order.value !== "suspicious") return;
  orderAnew(PLACE[row]);
  rows = chosenRows(fieldsOf(filters));
  current = Math.max(rows.indexOf(row), 0);
}

function openTab(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const open = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", open);
    tab.tabIndex = open ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !open;
  }
  if (name === "arcs") drawList();
  if (name === "corrections") listFixes();
  if (name === "difference") showDifference();
  if (name === "search") byId("find-form").elements.request.focus();
  if (name === "patterns") byId("pattern-0")?.focus({preventScroll: true});
}

const KEYS = {
  j: () => select(current + 1), k: () => select(current - 1),
  ArrowDown: () => select(current + 1), ArrowUp: () => select(current - 1),
  a: () => judge("accept"), e: () => judge("error"), u: () => judge("unsure"),
  ArrowRight: () => showNeighbour(1), ArrowLeft: () => showNeighbour(-1),
  t: takeSuggestion, h: pickHead, r: pickRelation, p: pickTag, ...(OTHERS.length ? {l: pickLemma, o: pickXpos, f: pickFeature, s: pickSubtype} : {}), x: turnRound, z: undoFix,
  n: () => byId("note").focus(), "/": () => document.querySelector("[role=tabpanel]:not([hidden]) [name=search]").focus(), "?": () => openTab("about"),
};
const EVERYWHERE = "/?";   // other keys are for the list of arcs
const FIX_KEYS = ["t", "h", "r", "p", "l", "o", "f", "s", "x", "ArrowLeft", "ArrowRight"];   // for a word that is shown
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input, textarea, select");
  if (typing && event.key === "Escape") { event.target.blur(); focusList(); return; }
  if (typing || !Object.hasOwn(KEYS, event.key) || (byId("arcs").hidden && !EVERYWHERE.includes(event.key))) return;
  const sideways = event.key === "ArrowLeft" || event.key === "ArrowRight";   // a tab or a wide tree moves by itself
  if ((FIX_KEYS.includes(event.key) && shown === null) || (sideways && event.target.matches("[role=tab], .tree"))) return;
  event.preventDefault();
  KEYS[event.key]();
});

let waiting;
filters.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 80);
});
filters.addEventListener("submit", event => { event.preventDefault(); focusList(); });
filters.addEventListener("reset", () => setTimeout(() => refresh(rows[current])));

for (const button of document.querySelectorAll("#triage button"))
  button.addEventListener("click", () => judge(button.value));
byId("note").addEventListener("change", event => isReadOnly() ||
  setVerdict(shown, verdictOf(shown), oneLine(event.target.value)));
for (const button of document.querySelectorAll("#fix button"))
  button.addEventListener("click", () => KEYS[button.value]());
byId("export-fixes").addEventListener("click", exportFixes);
byId("import-fixes").addEventListener("change", event => {
  if (event.target.files.length) importFixes(event.target.files[0]);
  event.target.value = "";
});
onSearch(byId("corrections"), listFixes);
byId("export").addEventListener("click", exportVerdicts);
byId("import").addEventListener("change", event => {
  if (event.target.files.length) importVerdicts(event.target.files[0]);
  event.target.value = "";
});

const tabs = [...document.querySelectorAll("[role=tab]")];
tabs.forEach((tab, k) => {
  tab.addEventListener("click", () => openTab(tab.id.slice(4)));
  tab.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const next = tabs[(k + step + tabs.length) % tabs.length];
    openTab(next.id.slice(4));
    next.focus();
  });
});

// On paper: tables, and the first arcs of the list with their trees.
const ON_PAPER = 40;
window.addEventListener("beforeprint", () => {
  byId("paper").replaceChildren(...rows.slice(0, ON_PAPER).map(row =>
    element("article", {}, ...describeArc(row, 680, false).parts)));
});
window.addEventListener("afterprint", () => byId("paper").replaceChildren());

let wide = window.innerWidth;
window.addEventListener("resize", () => {
  if (window.innerWidth !== wide) showRows(rows, rows[current]);
  wide = window.innerWidth;
});

fillFilters(filters);
fitColumns();
loadVerdicts();
showVerdictCounts();
loadFixes();
showFixCounts();
orderAnew(-1);
if (window.innerWidth < 700) byId("more").open = false;
if (!CHECK) byId("bins").prepend(binChart(D.bin_table));
for (const [name, table] of Object.entries(D.column_tables))
  showTable(byId(`${name}-table`), table, (_, k) => openWord(table.place[k]), k => table.place[k] >= 0);
if (D.tag_table)
  showTable(byId("tag-table"), D.tag_table, (_, k) => showWord(D.tag_table.place[k]), k => PLACE[D.tag_table.place[k]] >= 0);
if (TWO_PARSERS)
  showTable(byId("parser-table"), D.parser_table, name => filterBy("gold_relation", name), k => D.parser_table.rows[k][1] > 0);
if (!CHECK) {
  showTable(byId("bin-table"), D.bin_table, name => filterBy("bin", name));
  showTable(byId("relation-table"), D.relation_table, name => filterBy("relation", name));
}
searchSettings(byId("about"));
refresh();
if (DESK) waiting_ = openDesk();
