// The span task: one span, which holds the anchor where there is one. The answer stands in two number fields, the
// first and the last token from 1, empty until the reader has marked something.
import { said } from "./marking/drawing.js";
import { follow } from "./marking/passage.js";
import { anchorAlone } from "./marking/marks.js";

const { translated } = document.getElementById("main"); // (page.js)

const fields = (field) => [...field.querySelectorAll("input[type=number]")];

follow("span", {
  rules: (_, { anchor }) => ({ most: 1, held: anchor }),
  read(field, { n }) {
    const [first, last] = fields(field).map(({ value }) => Number(value) - 1);
    return first >= 0 && first <= last && last < n ? [[first, last]] : [];
  },
  write(field, [span]) {
    for (const [n, one] of fields(field).entries()) one.value = span ? span[n] + 1 : "";
  },
  said(it) {
    if (!it.state.spans.length) return [translated("Nothing marked."), ` ${translated("Draw over the words.")}`];
    const [number, quote] = said(it, it.state.spans[0]);
    return [number, " ", quote];
  },
  key(it, key) {
    if (key !== it.field.dataset.anchorKey) return false;
    it.keep(it, anchorAlone(it.text, it.state), "", [0]);
    return true;
  },
});
