// Patterns of `check`: groups of arcs in doubt, with a correction of all or of some of them, which is shown before it is made.

// What a word of a pattern would be corrected to.
function patternFix(pattern, row) {
  const other = suggestion(row), relationFor = name => universal(relation(row)) === name ? relation(row) : name;
  if (pattern.same_head) return {...fixNow(row), deprel: relationFor(pattern.rather)};
  return other ? {...fixNow(row), head: other.head, deprel: relationFor(pattern.rather)} : null;
}

const withContext = (row, near = 5) => {
  const s = SENTENCE[row], from = Math.max(START[s], row - near), to = Math.min(START[s + 1], row + near + 1), parts = [];
  for (let w = from; w < to; w++) parts.push(w === row ? element("mark", {textContent: form(w)}) : form(w), " ");
  return element("bdi", {}, from > START[s] ? "… " : "", ...parts, to < START[s + 1] ? "…" : "");
};
const placeOf = row => `${CHECK.files[CHECK.file[SENTENCE[row]]]}:${CHECK.line[row]}`;

function examples(rows, title) {
  if (!rows.length) return [];
  const shown = rows.slice(0, 3).map(row => {
    const open = element("button", {type: "button"}, withContext(row));
    open.addEventListener("click", () => openWord(row));
    return element("li", {}, open, " ", element("span", {className: "facts", textContent: placeOf(row)}));
  });
  return [element("p", {textContent: `${title}:`}), element("ul", {}, ...shown)];
}

// One line for each arc, with a box: what it would become, or why it cannot.
function preview(pattern, place, done) {
  const chosen = pattern.rows.map(row => {
    const fix = patternFix(pattern, row), plain = fix && plainFix(row, fix);
    const reason = !fix ? "nothing is suggested" : !plain ? "it is so already" : noTree(SENTENCE[row], new Map([[row, plain]]));
    return {row, plain, reason, box: element("input", {type: "checkbox", checked: !reason, disabled: Boolean(reason)})};
  });
  const make = element("button", {type: "button"}), close = element("button", {type: "button", textContent: "Leave"});
  const wanted = () => chosen.filter(one => one.box.checked);
  const count_ = () => { make.textContent = `Make ${count(wanted().length, "correction")}`; make.disabled = !wanted().length; };
  const lines = chosen.map(one => {
    one.box.addEventListener("change", count_);
    const becomes = one.reason ? `not possible: ${one.reason}`
      : `${arcText(one.row, headNow(one.row), relationNow(one.row), null)} → ${arcText(one.row, one.plain.head ?? D.head[one.row], one.plain.deprel ?? relation(one.row), null)}`;
    return element("li", {}, element("label", {}, one.box, " ", withContext(one.row), " ", element("span", {textContent: becomes})),
      " ", element("span", {className: "facts", textContent: placeOf(one.row)}));
  });
  count_();
  make.addEventListener("click", () => {
    const changes = new Map();
    for (const one of wanted())   // those of one sentence that make no tree together are left as they are
      if (!noTree(SENTENCE[one.row], new Map([...changes, [one.row, one.plain]]))) changes.set(one.row, one.plain);
    put(changes);
    done(`${count(changes.size, "correction")} made; z takes them back together.`);
  });
  close.addEventListener("click", () => done(""));
  place.replaceChildren(element("ul", {className: "preview"}, ...lines), element("p", {}, make, " ", close));
  make.focus();
}

function patternItem(pattern, k) {
  const times = n => count(n, "time"), said = element("p", {className: "opinion fixed"});
  const correct = element("button", {type: "button"}, `Correct all ${pattern.rows.length}, or some `, element("kbd", {textContent: "m"}));
  const all = element("div"), other = pattern.rather === pattern.relation ? "" : `, ${pattern.rather} ${times(pattern.n_rather)}`;
  const item = element("article", {className: "pattern", tabIndex: 0, id: `pattern-${k}`},
    element("h2", {textContent: `${k + 1}. ${pattern.text}: ${pattern.relation} ${times(pattern.n_relation)}${other}`}),
    element("p", {textContent: `${count(pattern.rows.length, "arc")} in doubt, rather ${pattern.rather}${pattern.same_head ? "" : " of another word"} (${pattern.doubt})`}),
    ...examples(pattern.rows, pattern.relation), ...(pattern.rather === pattern.relation ? [] : examples(pattern.other_rows, pattern.rather)),
    element("p", {}, "Grew: ", element("code", {textContent: pattern.grew})), element("p", {}, correct), said, all);
  const open = () => preview(pattern, all, text => { all.replaceChildren(); said.textContent = text; item.focus(); });
  correct.addEventListener("click", open);
  item.addEventListener("keydown", event => {
    if (event.target !== item || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = {j: 1, ArrowDown: 1, k: -1, ArrowUp: -1}[event.key];
    if (event.key === "m") open();
    else if (event.key === "z") undoFix();
    else if (step) byId(`pattern-${k + step}`)?.focus();
    else return;
    event.preventDefault();
  });
  return item;
}

if (CHECK && CHECK.patterns.length) {
  const items = CHECK.patterns.map(patternItem);
  byId("pattern-list").replaceChildren(...items);
  onSearch(byId("patterns"), text => items.filter(item => {
    item.hidden = !item.textContent.toLowerCase().includes(text);
    return !item.hidden;
  }).length);
}
