// What a person's own answers reveal: computed here, with the shares that the page carries.
// Nothing is sent. With p the share of people who give all of the answers, and k people:
//   people with the same answers  1 + (k - 1) p      alone  (1 - p)^(k-1)
//   a guess is right              (1 - (1 - p)^k) / (k p)
// and the average over all people of the same numbers. Koot (2012), 4.5.

const RARE = 0.25; // so much less common than what an average person answers: an outlier
const MOST_CELLS = 20000; // combinations that are listed one by one
const STEP = 0.001; // beyond that, those whose probabilities differ by less are put together

export const alone = (p, people) => (people === 1 ? 1 : Math.exp((people - 1) * Math.log1p(-p)));
export const together = (p, people) => 1 + (people - 1) * p;
export const guessed = (p, people) =>
  Math.min(1, -Math.expm1(people * Math.log1p(-p)) / (people * p));

// all answers to a question: pairs of a share and how many answers have it
function groups(question) {
  return [...question.options.map(([, share]) => [share, 1]), ...question.rare];
}

// the probabilities of all combinations of answers, each with the share of people who have it
export function combined(questions) {
  let cells = [{ p: 1, mass: 1 }];
  for (const question of questions) {
    const next = [];
    for (const { p, mass } of cells) {
      for (const [share, times] of groups(question)) {
        next.push({ p: p * share, mass: mass * share * times });
      }
    }
    cells = next.length > MOST_CELLS ? merged(next) : next;
  }
  return cells;
}

function merged(cells) {
  const found = new Map();
  for (const { p, mass } of cells) {
    const key = Math.round(Math.log(p) / STEP);
    const cell = found.get(key) ?? { logs: 0, mass: 0 };
    cell.logs += mass * Math.log(p);
    cell.mass += mass;
    found.set(key, cell);
  }
  return [...found.values()].map(({ logs, mass }) => ({ p: Math.exp(logs / mass), mass }));
}

// what an average person answers: the mean over people of the share of their answer
const typical = (question) =>
  groups(question).reduce((sum, [share, times]) => sum + times * share * share, 0);

export function revealed(answers, people) {
  const product = (list) => list.reduce((all, one) => all * one.share, 1);
  const p = product(answers);
  const cells = combined(answers.map((one) => one.question));
  const mean = (measure) => cells.reduce((sum, cell) => sum + cell.mass * measure(cell.p), 0);
  const average = mean((share) => share);
  return {
    p,
    you: { alone: alone(p, people), guess: guessed(p, people), same: together(p, people) },
    average: {
      alone: mean((share) => alone(share, people)),
      guess: mean((share) => guessed(share, people)),
      same: together(average, people),
    },
    most: people * Math.min(...answers.map((one) => one.share)),
    outlier: p < RARE * average,
    answers: answers.map((one, index) => ({
      ...one,
      having: one.share * people,
      left: product(answers.slice(0, index + 1)) * people,
      without: product(answers.filter((other) => other !== one)) * people,
      rare: one.share < RARE * typical(one.question),
    })),
  };
}

// ---- the page

const language = document.documentElement.lang;
const figure = (value, digits) =>
  new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);

function people(value) {
  if (value > 0 && value < 0.01) {
    return `< ${figure(0.01, 2)}`;
  }
  return figure(value, value < 10 ? 2 : 0);
}

function chance(value) {
  const percent = (share, digits) =>
    new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: digits }).format(share);
  if (value > 0 && value < 0.0001) {
    return `< ${percent(0.0001, 2)}`;
  }
  return percent(value, value < 0.01 ? 2 : 1);
}

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

function row(cells, kind) {
  const line = document.createElement("tr");
  line.className = kind;
  cells.forEach((text, index) => {
    const cell = document.createElement(index ? "td" : "th");
    if (!index) {
      cell.scope = "row";
    }
    cell.className = index ? "number" : "";
    cell.dir = "auto";
    cell.textContent = text;
    line.append(cell);
  });
  return line;
}

function chosen(place, questions) {
  const answers = [];
  for (const select of place.querySelectorAll("select[data-question]")) {
    const question = questions[Number(select.dataset.question)];
    if (select.value === "rare") {
      const share = Math.max(...question.rare.map(([one]) => one));
      answers.push({ question, answer: select.selectedOptions[0].textContent, share, least: true });
    } else if (select.value !== "") {
      const [answer, share] = question.options[Number(select.value)];
      answers.push({ question, answer, share, least: false });
    }
  }
  return answers;
}

function warnings(found, words) {
  const said = [];
  const rare = found.answers.filter((one) => one.rare);
  if (rare.length) {
    const names = rare.map((one) => `${one.question.name} = ${one.answer}`).join(", ");
    said.push(filled(words.rare, { answers: names }));
  } else if (found.outlier) {
    said.push(words.outlier);
  }
  return said;
}

function show(place, found, k, words) {
  const part = (name) => place.querySelector(`[data-part="${name}"]`);
  const numbers = { people: figure(k, 0), same: people(found.you.same), most: people(found.most) };
  part("says").textContent = filled(words.says, { ...numbers, alone: chance(found.you.alone) });
  for (const [name, kind] of [["you", "me"], ["average", ""]]) {
    const { alone: one, guess, same } = found[name];
    const line = row([words[name], chance(one), chance(guess), people(same)], kind);
    line.dataset.who = name;
    Object.assign(line.dataset, { alone: one, guess, same });
    part("risk").querySelector(`[data-who="${name}"]`)?.remove();
    part("risk").append(line);
  }
  part("answers").replaceChildren(
    ...found.answers.map((one) =>
      row([one.question.name, one.answer, people(one.having), people(one.left), people(one.without)], ""),
    ),
  );
  const best = [...found.answers].sort((one, other) => other.without - one.without)[0];
  const values = { column: best.question.name, people: people(best.without) };
  part("advice").textContent = filled(words.advice, values);
  const said = warnings(found, words);
  part("warnings").hidden = said.length === 0;
  part("warnings").querySelector("ul").replaceChildren(
    ...said.map((text) => Object.assign(document.createElement("li"), { textContent: text })),
  );
  part("bounds").textContent = filled(words.bounds, numbers);
  part("least").hidden = !found.answers.some((one) => one.least);
}

function start(place) {
  const questions = JSON.parse(place.dataset.questions);
  const words = JSON.parse(place.dataset.words);
  const field = place.querySelector("#k");
  const update = () => {
    const answers = chosen(place, questions);
    const k = Math.floor(Number(field.value.replace(/[\s\u00a0\u202f,.']/g, "")));
    const known = Number.isSafeInteger(k) && k >= 1;
    field.setAttribute("aria-invalid", String(!known));
    const ready = known && answers.length > 0;
    place.querySelector('[data-part="found"]').hidden = !ready;
    place.querySelector('[data-part="nothing"]').hidden = ready;
    if (ready) {
      show(place, revealed(answers, k), k, words);
    }
  };
  place.addEventListener("input", update);
  place.querySelector("#print").addEventListener("click", () => window.print());
  update();
}

const place = document.getElementById("person");
if (place) {
  start(place);
}
