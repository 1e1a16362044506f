// Charts of Vega-Lite in elements with data-spec. The script of Vega is loaded once there is one.
// Expressions are interpreted (ast): the content security policy forbids to make functions of text.

let loading = null;

function vega() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${document.body.dataset.root}/charts/vega.js`;
    script.onload = () => resolve(window.vegaEmbed);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
};

function dressed() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const ink = colour("--ink");
  const soft = colour("--soft");
  const line = colour("--line");
  return {
    background: "transparent",
    font: getComputedStyle(document.body).fontFamily,
    title: { color: ink, subtitleColor: soft },
    axis: { labelColor: ink, titleColor: ink, gridColor: line, domainColor: soft, tickColor: soft },
    legend: { labelColor: ink, titleColor: ink },
    header: { labelColor: ink, titleColor: ink },
    view: { stroke: line },
    text: { color: ink },
    rule: { color: ink },
  };
}

export async function drawCharts(within) {
  const places = within.querySelectorAll?.(".vega[data-spec]:not([data-drawn])") ?? [];
  for (const place of places) {
    place.dataset.drawn = "";
    const embed = await vega();
    const spec = JSON.parse(place.dataset.spec);
    place.classList.toggle("paper", isDark());
    const result = await embed(place, spec, {
      ast: true,
      actions: false,
      defaultStyle: false,
      renderer: "svg",
      tooltip: { disableDefaultStyle: true },
      config: isDark() ? {} : dressed(),
    });
    // what is drawn for a brush would be read out as a picture without a name
    for (const part of place.querySelectorAll('[role="graphics-symbol"]:not([aria-label])')) {
      part.setAttribute("aria-hidden", "true");
    }
    place.dispatchEvent(new CustomEvent("chart:drawn", { bubbles: true, detail: result }));
  }
}
