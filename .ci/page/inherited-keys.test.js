// Tests of the rule inherited-keys.

import { RuleTester } from "eslint";
import rule from "./inherited-keys.js";

const errors = [{ messageId: "inherited" }];

new RuleTester().run("inherited-keys", rule, {
  valid: [
    "const NAMES = { a: 1 }; NAMES.a; NAMES['a'];",
    "const names = { __proto__: null, a: 1 }; names[key]; key in names;",
    "const names = new Map(); names.get(key);",
    "const NAMES = { a: 1 }; Object.hasOwn(NAMES, key) ? NAMES[key] : key;",
    "const NAMES = { a: 1 }; if (Object.hasOwn(NAMES, key)) show(NAMES[key]);",
    "const NAMES = { a: 1 }; Object.hasOwn(NAMES, key) && NAMES[key];",
    "const days = ['Monday']; days[number];",
    "'status' in error;",
    "lookUp(field.optionColors, label); columns[at + 1]; columns[at]; card.values.get(id);",
    "const values = { __proto__: null }; values[found.name];",
    "import { listNames } from './names.js'; listNames()[key];"
  ],
  invalid: [
    { code: "const NAMES = { a: 1 }; NAMES[key];", errors },
    { code: "const NAMES = { a: 1 }; () => () => NAMES[key] ?? key;", errors },
    { code: "let found = {}; found[name] = 1;", errors },
    { code: "({ a: 1 })[key];", errors },
    { code: "const NAMES = Object.fromEntries(PAIRS); NAMES[key];", errors },
    { code: "import { NAMES } from './names.js'; NAMES[key];", errors },
    { code: "const NAMES = { a: 1 }; Object.hasOwn(NAMES, other) ? NAMES[key] : key;", errors },
    { code: "const NAMES = { a: 1 }; key in NAMES;", errors },
    { code: "(values) => name in values;", errors },
    { code: "field.optionColors[label];", errors },
    { code: "one.optionColors?.[value];", errors },
    { code: "({ values }) => values[field.id];", errors },
    { code: "day.columns[id] ?? 0;", errors }
  ]
});
