// The page of a shared task: the ranking, the matrix of systems and treebanks, and what is behind a cell.

const D = JSON.parse(document.getElementById("data").textContent);
const controls = document.querySelector("form");
let sorting = {column: -1, down: true};   // the treebank that the matrix is sorted by, -1: the average
let chosen = "";

function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

const shown = value => value === null ? "–" : value.toFixed(2);

// the numbers of the treebanks in the chosen group
function columns() {
  const group = controls.group.value;
  return D.treebanks.map((_, t) => t).filter(t => !group || D.groups[t] === group);
}

// the mean over some treebanks; a missing file counts 0, or is left out
function average(row, treebanks) {
  const values = treebanks.map(t => row[t]);
  const counted = D.only_present ? values.filter(value => value !== null) : values.map(value => value ?? 0);
  return counted.length ? counted.reduce((sum, value) => sum + value, 0) / counted.length : null;
}

function drawRanking() {
  const low = Math.min(...D.ranking.map(row => row[2] ?? 0)), high = Math.max(...D.ranking.map(row => row[3] ?? 0));
  const place = value => `${100 * (value - low) / Math.max(high - low, 1e-9)}%`;
  const all = D.treebanks.map((_, t) => t);
  const rows = D.ranking.map(([system, rank, from, to, separate]) => {
    const value = average(D.scores[D.metric][system], all);
    const bar = make("span", {className: "bar", title: `${shown(from)} to ${shown(to)}`}), span = make("span");
    span.style.left = place(from);
    span.style.width = `calc(${place(to)} - ${place(from)})`;
    const tick = make("i");
    tick.style.left = place(value);
    bar.append(span, tick);
    return make("tr", {className: separate ? "separate" : ""}, make("td", {}, String(rank)),
      make("th", {scope: "row"}, D.systems[system]), make("td", {}, shown(value)),
      make("td", {}, `${shown(from)} – ${shown(to)}`), make("td", {}, bar));
  });
  const head = ["rank", "system", D.metric, "95 % interval", ""].map((name, k) =>
    make("th", {scope: "col", className: k === 1 ? "text" : ""}, name));
  document.getElementById("ranking").replaceChildren(make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}

function header(name, column) {
  const button = make("button", {type: "button"}, name);
  const cell = make("th", {scope: "col"}, button);
  cell.setAttribute("aria-sort", sorting.column !== column ? "none" : sorting.down ? "descending" : "ascending");
  if (sorting.column === column) button.append(sorting.down ? " ▾" : " ▴");
  button.addEventListener("click", () => {
    sorting = {column, down: sorting.column === column ? !sorting.down : true};
    drawMatrix();
  });
  return cell;
}

function drawMatrix() {
  const scores = D.scores[controls.metric.value], treebanks = columns();
  const means = scores.map(row => average(row, treebanks));
  const key = system => (sorting.column < 0 ? means[system] : scores[system][sorting.column]) ?? -1;
  const order = D.systems.map((_, k) => k).sort((a, b) => (sorting.down ? 1 : -1) * (key(b) - key(a)));
  const best = new Map(treebanks.map(t => [t, Math.max(...scores.map(row => row[t] ?? -1))]));
  const least = new Map(treebanks.map(t => [t, Math.min(...scores.map(row => row[t] ?? Infinity))]));
  const rows = order.map(system => {
    const cells = treebanks.map(t => drawCell(scores[system][t], system, t, best.get(t), least.get(t)));
    return make("tr", {}, make("th", {scope: "row"}, D.systems[system]),
      make("td", {className: "average"}, shown(means[system])), ...cells);
  });
  const heads = [make("th", {scope: "col"}, "system"), header("average", -1), ...treebanks.map(t => header(D.treebanks[t], t))];
  document.getElementById("matrix").replaceChildren(make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
}

function drawCell(value, system, t, best, least) {
  const name = `${D.systems[system]}, ${D.treebanks[t]}`;
  const button = make("button", {type: "button", className: value === null ? "missing" : ""}, shown(value));
  button.setAttribute("aria-label", `${name}: ${value === null ? "no score" : shown(value)}`);
  button.addEventListener("click", () => { chosen = `${system},${t}`; drawMatrix(); open(system, t); });
  const cell = make("td", {className: value !== null && value === best ? "best" : ""}, button);
  if (value !== null) {
    const share = Math.round(45 * (value - least) / Math.max(best - least, 1e-9));
    cell.style.background = `color-mix(in srgb, var(--gold) ${share}%, var(--paper))`;
  }
  cell.setAttribute("aria-selected", String(chosen === `${system},${t}`));
  return cell;
}

const f1 = ([, gold, system, right]) => gold + system ? 200 * right / (gold + system) : null;

function open(system, t) {
  const place = document.getElementById("cell"), scores = D.scores[D.metric];
  const values = scores.map(row => row[t] ?? -1), best = values.indexOf(Math.max(...values));
  const title = make("h2", {tabIndex: -1}, `${D.systems[system]} on ${D.treebanks[t]}`);
  const cell = D.cells[`${system},${t}`];
  place.replaceChildren(title);
  if (!cell) {
    place.append(make("p", {}, D.problems[system][t] || "There is nothing more about this cell."));
  } else {
    const line = D.metrics.map(metric => `${metric} ${shown(D.scores[metric][system][t])}`).join(", ");
    place.append(make("p", {}, line), relationsTable(cell[0], system, best, t), ...sentences(cell[1], system, best));
  }
  title.focus({preventScroll: false});
}

function relationsTable(relations, system, best, t) {
  const other = D.cells[`${best},${t}`], there = new Map(other ? other[0].map(row => [row[0], row]) : []);
  const names = ["relation", "gold", D.systems[system], "F1", ...(best === system ? [] : [`F1 of ${D.systems[best]}`, "difference"])];
  const rows = relations.map(row => {
    const own = f1(row), theirs = there.has(row[0]) ? f1(there.get(row[0])) : null;
    const more = best === system ? [] : [shown(theirs), own === null || theirs === null ? "–" : (own - theirs).toFixed(2)];
    return make("tr", {}, make("th", {scope: "row"}, row[0]),
      ...[String(row[1]), String(row[2]), shown(own), ...more].map(text => make("td", {}, text)));
  });
  const table = make("table", {}, make("caption", {}, "Arcs by relation"),
    make("thead", {}, make("tr", {}, ...names.map((name, k) => make("th", {scope: "col", className: k ? "" : "text"}, name)))),
    make("tbody", {}, ...rows));
  return make("div", {className: "wide", tabIndex: 0}, table);
}

function sentences(list, system, best) {
  return list.map(sentence => {
    const marked = new Set(sentence.words.map(word => word[0]));
    const text = make("p", {dir: "auto"});
    sentence.forms.forEach((form, k) => text.append(marked.has(k) ? make("mark", {}, form) : form, " "));
    const rows = sentence.words.map(([k, gold, theirs, own]) => make("tr", {}, make("th", {scope: "row"}, `${k + 1} ${sentence.forms[k]}`),
      ...[gold, theirs, own].map(arc => make("td", {className: "left"}, arc))));
    const head = ["word", "gold", D.systems[best], D.systems[system]].map(name => make("th", {scope: "col", className: "text"}, name));
    return make("div", {}, make("h3", {}, `Sentence ${sentence.name}: ${D.systems[best]} is right instead`), text,
      make("div", {className: "wide", tabIndex: 0}, make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows))));
  });
}

controls.addEventListener("change", drawMatrix);
controls.addEventListener("submit", event => event.preventDefault());
drawRanking();
drawMatrix();
