// The parsers, the tags, the bins and the relations, as tables that sort and lead to their arcs.

function cell(value, kind) {
  if (value === null) return "–";
  if (kind === "percent") return percent(value);
  if (kind === "change") return (value > 0 ? "+" : "") + decimal(100 * value);
  if (kind === "probability") return chance(value);
  if (kind === "context") return [value[0] + " ", element("mark", {textContent: value[1]}), " " + value[2]];
  return kind === "count" ? count(value) : kind === "p" ? decimal(value) : value;
}

// Draws a table and, as one types, what of it has the text; `onRow` is where the first cell of a row leads.
function showTable(place, table, onRow, leads = () => true) {
  let by = null, down = true, wanted = "";
  const texts = table.rows.map(row => row.flat().join(" ").toLowerCase());
  const draw = () => {
    const order = table.rows.map((row, k) => Object.assign([...row], {number: k})).filter(row => texts[row.number].includes(wanted));
    if (by !== null) order.sort((a, b) => {
      if (a[by] === null || b[by] === null) return (a[by] === null) - (b[by] === null);
      const less = typeof a[by] === "number" ? a[by] - b[by] : String(a[by]).localeCompare(String(b[by]));
      return down ? -less : less;
    });
    const head = element("tr", {}, ...table.columns.map(([name, kind], k) => {
      const button = element("button", {type: "button", textContent: name});
      button.addEventListener("click", () => {
        down = by === k ? !down : kind !== "text";
        by = k;
        draw();
        place.querySelectorAll("th button")[k].focus();
      });
      const th = element("th", {scope: "col", className: kind}, button);
      th.setAttribute("aria-sort", by !== k ? "none" : down ? "descending" : "ascending");
      return th;
    }));
    const lines = order.map(row => element("tr", {}, ...table.columns.map(([, kind], k) => {
      if (k) {
        const td = element("td", {className: kind}, ...[cell(row[k], kind)].flat());
        td.dataset.name = table.columns[k][0];
        return td;
      }
      if (!leads(row.number)) return element("th", {scope: "row", textContent: cell(row[0], kind)});
      const button = element("button", {type: "button", textContent: cell(row[0], kind), title: "list these arcs"});
      button.addEventListener("click", () => onRow(row[0], row.number));
      return element("th", {scope: "row"}, button);
    })));
    place.replaceChildren(element("table", {}, element("caption", {textContent: table.title}),
      element("thead", {}, head), element("tbody", {}, ...lines)));
  };
  draw();
  onSearch(place.parentElement, text => {
    wanted = text;
    draw();
    return place.querySelectorAll("tbody tr").length;
  });
}

// The search of a part of the page; `show` gives how many things have the text, in lower case.
function onSearch(part, show) {
  const form = part.querySelector("form.search"), told = form.querySelector("[role=status]");
  form.addEventListener("input", () => {
    const text = form.elements.search.value.trim().toLowerCase(), found = show(text);
    told.textContent = !text ? "" : found ? `${count(found)} found` : "nothing has this text";
  });
  form.addEventListener("submit", event => event.preventDefault());
}

function searchSettings(part) {
  const names = [...part.querySelectorAll("dt")];
  onSearch(part, text => names.filter(name => {
    const value = name.nextElementSibling, found = `${name.textContent} ${value.textContent}`.toLowerCase().includes(text);
    name.hidden = value.hidden = !found;
    return found;
  }).length);
}

// Accuracy of each bin as a bar; without gold, from the lowest to the highest score of the bin, with a tick at the mean.
function binChart(table) {
  const column = name => table.columns.findIndex(([title]) => title === name);
  const right = column("accuracy"), low = column("lowest"), high = column("highest"), mean = column("mean score");
  const values = table.rows.flatMap(row => [row[low], row[high]]).filter(v => v !== null);
  const least = Math.min(...values), span = Math.max(...values) - least || 1;
  const label = row => GOLD ? percent(row[right]) : `${cell(row[low], "p")} … ${cell(row[high], "p")}`;
  const width = Math.min(640, window.innerWidth - 24), height = table.rows.length * 22 + 4;
  const room = width - 70 - Math.max(...table.rows.map(row => textWidth(label(row), 12)), 0);
  const chart = svgElement("svg", {role: "img", width, height, class: "chart", viewBox: `0 0 ${width} ${height}`,
    "font-family": "system-ui, sans-serif", "font-size": 12});
  chart.append(svgElement("title", {}, GOLD ? "accuracy by bin" : "scores by bin"));
  table.rows.forEach((row, k) => {
    const y = k * 22 + 4, text = (x, what) => chart.append(svgElement("text", {x, y: y + 13, fill: INK}, what));
    text(0, `bin ${row[0]}`);
    if (GOLD && row[right] !== null) {
      chart.append(svgElement("rect", {x: 60, y, width: room, height: 18, fill: "var(--line)"}));
      chart.append(svgElement("rect", {x: 60, y, width: room * row[right], height: 18, fill: "var(--gold)"}));
      text(room + 66, label(row));
    } else if (row[low] !== null && row[high] !== null) {
      const x = value => 60 + room * (value - least) / span;
      chart.append(svgElement("rect", {x: x(row[low]), y: y + 4, width: Math.max(x(row[high]) - x(row[low]), 1),
        height: 10, fill: "var(--other)"}));
      if (row[mean] !== null) chart.append(svgElement("rect", {x: x(row[mean]) - 1, y, width: 2, height: 18, fill: INK}));
      text(room + 66, label(row));
    }
  });
  return chart;
}
