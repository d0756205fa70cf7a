// The tags, the bins and the relations, as tables that sort and lead to their arcs.

function cell(value, kind) {
  if (value === null) return "–";
  if (kind === "percent") return percent(value);
  if (kind === "probability") return value < 0.001 ? value.toExponential(0) : value.toPrecision(2);
  if (kind === "context") return [value[0] + " ", element("mark", {textContent: value[1]}), " " + value[2]];
  return kind === "count" ? count(value) : kind === "p" ? value.toFixed(2).replace("-", "−") : value;
}

function showTable(place, table, onRow, leads = () => true) {
  let by = null, down = true;
  const draw = () => {
    const order = table.rows.map((row, k) => Object.assign([...row], {number: k}));
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
      if (k) return element("td", {className: kind}, ...[cell(row[k], kind)].flat());
      if (!leads(row.number)) return element("th", {scope: "row", textContent: cell(row[0], kind)});
      const button = element("button", {type: "button", textContent: cell(row[0], kind), title: "list these arcs"});
      button.addEventListener("click", () => onRow(row[0], row.number));
      return element("th", {scope: "row"}, button);
    })));
    place.replaceChildren(element("table", {}, element("caption", {textContent: table.title}),
      element("thead", {}, head), element("tbody", {}, ...lines)));
  };
  draw();
}

// Accuracy of each bin as a bar; without gold, from the lowest to the highest score of the bin, with a tick at the mean.
function binChart(table) {
  const column = name => table.columns.findIndex(([title]) => title === name);
  const right = column("accuracy"), low = column("lowest"), high = column("highest"), mean = column("mean score");
  const values = table.rows.flatMap(row => [row[low], row[high]]).filter(v => v !== null);
  const least = Math.min(...values), span = Math.max(...values) - least || 1;
  const chart = svgElement("svg", {role: "img", width: 640, height: table.rows.length * 22 + 4, class: "chart",
    viewBox: `0 0 640 ${table.rows.length * 22 + 4}`, "font-family": "system-ui, sans-serif", "font-size": 12});
  chart.append(svgElement("title", {}, GOLD ? "accuracy by bin" : "scores by bin"));
  table.rows.forEach((row, k) => {
    const y = k * 22 + 4, text = (x, what) => chart.append(svgElement("text", {x, y: y + 13, fill: INK}, what));
    text(0, `bin ${row[0]}`);
    if (GOLD && row[right] !== null) {
      chart.append(svgElement("rect", {x: 60, y, width: 480, height: 18, fill: "#e7e9ec"}));
      chart.append(svgElement("rect", {x: 60, y, width: 480 * row[right], height: 18, fill: "#1b6e3c"}));
      text(550, percent(row[right]));
    } else if (row[low] !== null && row[high] !== null) {
      const x = value => 60 + 480 * (value - least) / span;
      chart.append(svgElement("rect", {x: x(row[low]), y: y + 4, width: Math.max(x(row[high]) - x(row[low]), 1),
        height: 10, fill: "#0b57d0"}));
      if (row[mean] !== null) chart.append(svgElement("rect", {x: x(row[mean]) - 1, y, width: 2, height: 18, fill: INK}));
      text(550, `${cell(row[low], "p")} … ${cell(row[high], "p")}`);
    }
  });
  return chart;
}
